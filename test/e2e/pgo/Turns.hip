// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that waves go round as often as they are told: a short one, of a block
// for all lanes, one that is entered in two places, within another, and one
// with branches that calls a function.
//   turns SHORT LONG
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) unsigned step(unsigned State) {
  return State % 3 ? State * 5 + 1 : State / 3;
}

extern "C" __global__ void shortTurns(unsigned *Out, unsigned Times) {
  unsigned State = threadIdx.x;
#pragma nounroll
  for (unsigned I = 0; I < Times; ++I)
    asm volatile("v_xor_b32 %0, 7, %0" : "+v"(State));
  Out[threadIdx.x] = State;
}

extern "C" __global__ void oddTurns(unsigned *Out, unsigned Times,
                                    unsigned Outer) {
  unsigned State = threadIdx.x;
#pragma nounroll
  for (unsigned I = 0; I < Outer; ++I) {
    unsigned Left = Times;
    asm volatile("s_cmp_lg_u32 %2, 0\n"
                 "s_cbranch_scc1 2f\n"
                 "1: v_xor_b32 %0, 7, %0\n"
                 "2: v_xor_b32 %0, 5, %0\n"
                 "s_sub_u32 %1, %1, 1\n"
                 "s_cmp_lg_u32 %1, 0\n"
                 "s_cbranch_scc1 1b"
                 : "+v"(State), "+s"(Left)
                 : "s"(I)
                 : "scc");
  }
  Out[threadIdx.x] = State;
}

extern "C" __global__ void branchyTurns(unsigned *Out, unsigned Times) {
  unsigned State = threadIdx.x;
#pragma nounroll
  for (unsigned I = 0; I < Times; ++I)
    if (State & 1)
      State = step(State);
    else if (State & 2)
      State = State >> 1 | I << 7;
    else
      ++State;
  Out[threadIdx.x] = State;
}

int main(int Argc, char **Argv) {
  unsigned *Out = nullptr;
  if (Argc != 3 || hipMalloc(&Out, 256) != hipSuccess)
    return 1;
  shortTurns<<<1, 64>>>(Out, atoi(Argv[1]));
  oddTurns<<<1, 64>>>(Out, atoi(Argv[1]), 2);
  branchyTurns<<<1, 64>>>(Out, atoi(Argv[2]));
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
