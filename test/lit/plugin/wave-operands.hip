// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the wave take scalars, and everything else is an error at its
// line, with the line of what is none.
// RUN: not %tool -O2 -gline-tables-only 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %tool32 -O0 -gline-tables-only 2>&1 | FileCheck %s --implicit-check-not=error:
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ uint64_t Counter, Other;
__device__ uint32_t Table[4];
__attribute__((managed)) uint64_t Managed;
MARK_LUTHIER_DEVICE_MODULE
using namespace luthier;
constexpr unsigned Scalar = 7; // No vector register.

LUTHIER_HOOK_ANNOTATE adds(uint32_t N) {
  uint32_t Cost = Table[N];
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'adds', the number that luthier::waveAdd adds is not made of scalars but of a value loaded from memory in line [[@LINE-1]]; see luthier::firstLane
  waveAdd(Counter, Cost);
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'adds', the number that luthier::waveAdd adds is not made of scalars but of the result of llvm.amdgcn.workitem.id.x
  waveAdd(Other, threadIdx.x == 3);
}

LUTHIER_HOOK_ANNOTATE atomics(uint64_t N, uint64_t *Where) {
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'atomics', the operand of luthier::waveAtomicAdd, pushOnce or its like is not made of scalars
  waveAtomicMax(&Counter, N * __lane_id());
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'atomics', the address of luthier::waveAtomicAdd or its like is not made of scalars
  waveAtomicAdd(Where + threadIdx.x, 1);
}

LUTHIER_HOOK_ANNOTATE registers(uint32_t N) {
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'registers', what luthier::writeReg gives a scalar register is not made of scalars but of the result of 'fmul' in line [[@LINE+1]]
  writeReg<uint32_t>(Scalar, __float_as_uint(readReg<float>(Scalar) * 2));
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'registers', the mask of luthier::writeExec is not made of scalars
  writeExec(Table[2]);
}

// A condition that lanes decide is no scalar, and no more is what it chooses.
LUTHIER_HOOK_ANNOTATE joins(uint32_t N) {
  uint64_t Sum = 1;
  if (Table[1] > 4)
    Sum += N;
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'joins', the number that luthier::waveAdd adds is not made of scalars but of a value loaded from memory in line [[@LINE-2]]
  waveAdd(Counter, Sum);
}

// Before the engine would say so of a kernel.
__device__ uint64_t Counters[8];
LUTHIER_HOOK_ANNOTATE elements(uint32_t I) {
  waveAdd(Counters[0], 1);
  waveAdd(Counters[2 * I + 1], 1);
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'elements', the counter of luthier::waveAdd is not a variable, or a part of one
  waveAdd(Counters[readReg<uint32_t>(Scalar)], 1);
}

// Of intrinsics of the tool, those that say so yield scalars.
namespace mine {
LUTHIER_INTRINSIC_ANNOTATE unsigned lanes(unsigned) { __builtin_trap(); }
LUTHIER_SCALAR_INTRINSIC_ANNOTATE unsigned wave(unsigned) { __builtin_trap(); }
} // namespace mine
LUTHIER_HOOK_ANNOTATE own(uint32_t N) {
  waveAdd(Counter, mine::wave(N) + 1);
  for (unsigned I = 0; I < mine::wave(N); ++I)
    waveAtomicAdd(&Other, 1);
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'own', the number that luthier::waveAdd adds is not made of scalars but of the result of mine::lanes in line [[@LINE+1]]; see luthier::firstLane and LUTHIER_SCALAR_INTRINSIC_ANNOTATE
  waveAdd(Other, mine::lanes(N));
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'own', what luthier::writeReg gives a scalar register is not made of scalars but of the result of mine::lanes
  writeReg<uint32_t>(Scalar, mine::lanes(3) == 2);
}
LUTHIER_HOOK_ANNOTATE ownInALoop(uint32_t N) {
  // CHECK-DAG: error: hook 'ownInALoop' uses luthier::writeExec in a loop that lanes leave at different times
  for (unsigned I = 0; I < mine::lanes(N); ++I)
    waveAtomicAdd(&Other, 1);
}

LUTHIER_HOOK_ANNOTATE waits() {
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: hook 'waits' waits for its workgroup (__syncthreads)
  __syncthreads();
}

// None of these.
LUTHIER_HOOK_ANNOTATE scalars(uint64_t L, uint64_t M, uint32_t *Where) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  waveAdd(Counter, 1 + ((uint64_t(L == M) + (L < M)) << 8));
  waveAdd(Other, (L == 0 || M == 0) ? __popcll(Active) : M % 10);
  waveAtomicAdd(&Managed, blockIdx.x + uint64_t(__ballot(threadIdx.x & 1)));
  waveAtomicAdd(Where + (L > M), firstLane(Table[3], 0u));
  uint64_t Before = waveAtomicExchange(&Other, L / M);
  for (uint32_t I = 0; I < (L & 7) && I != M; ++I)
    waveAdd(Counter, Before + I);
  writeExec(1);
  const uint32_t One = __builtin_amdgcn_readfirstlane(Table[1]);
  writeExec(Active);
  waveAtomicAdd(&Managed, One);
  waveFlush(Counter);
}

// A loop that lanes leave one by one: each has a number of turns of its own.
LUTHIER_HOOK_ANNOTATE turns() {
  uint64_t N = 0;
  do
    ++N;
  while (Table[threadIdx.x + N] > 3);
  // CHECK-DAG: wave-operands.hip:[[@LINE+1]]:{{.*}} error: in hook 'turns', the number that luthier::waveAdd adds is not made of scalars but of a value loaded from memory in line [[@LINE-1]]
  waveAdd(Counter, N);
}

// Optimisation moves where a managed variable is out of loops and conditions.
__attribute__((managed)) uint64_t OtherManaged;
LUTHIER_HOOK_ANNOTATE movedOutOfLoop(uint32_t L, uint32_t M) {
  for (uint32_t I = 0; I < L; ++I)
    if (I < M)
      waveAtomicAdd(&Managed, 1);
}
LUTHIER_HOOK_ANNOTATE chosen(uint32_t L, uint32_t M) {
  waveAtomicAdd(L < M ? &Managed : &OtherManaged, 1);
}
