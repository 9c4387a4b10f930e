// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks for files, on every target. Which ones, OFFLINE_HOOKS says:
//   count   each instruction that a wave executes
//   wave    the same, in counters of the waves' own
//   stack   the same, through an array in private memory
//   shared  the same, through shared memory that other waves use, too
//   lanes   the same, with what lanes tell each other
//   places  the same, in places whose addresses the hook is given
// Those that find something else in their memory than they put there are
// counted in Wrong.
#include "luthier/luthier.h"
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/MachineIR.h"
#include <cstdlib>
#endif

using namespace luthier;

// Of each kind that files hold: managed, with an initial value, and zeros.
__attribute__((managed)) uint64_t Executed;
__device__ uint64_t Begun = 1000;
__device__ uint64_t Wrong;

MARK_LUTHIER_DEVICE_MODULE

__device__ void addOnce() {
  const uint64_t Lanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Executed, 1);
  atomicAdd(&Begun, 1);
  luthier::writeExec(Lanes);
}

LUTHIER_HOOK_ANNOTATE count() { addOnce(); }
LUTHIER_EXPORT_HOOK_HANDLE(count);

LUTHIER_HOOK_ANNOTATE countInWave() {
  luthier::waveAdd(Executed, 1);
  luthier::waveAdd(Begun, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countInWave);
LUTHIER_HOOK_ANNOTATE flush() {
  luthier::waveFlush(Executed);
  luthier::waveFlush(Begun);
}
LUTHIER_EXPORT_HOOK_HANDLE(flush);

LUTHIER_HOOK_ANNOTATE countOnStack(uint32_t Number) {
  volatile uint32_t Words[8];
  for (uint32_t N = 0; N != 8; ++N)
    Words[(N + Number) % 8] = Number * 8 + N;
  // Active lanes only, each its own.
  if (Words[(Number + 5) % 8] != Number * 8 + 5)
    atomicAdd(&Wrong, 1);
  addOnce();
}
LUTHIER_EXPORT_HOOK_HANDLE(countOnStack);

LUTHIER_HOOK_ANNOTATE countInSharedMemory(uint32_t Number) {
  __shared__ volatile uint32_t Words[128];
  Words[threadIdx.x] = Number + threadIdx.x;
  if (Words[threadIdx.x] != Number + threadIdx.x)
    atomicAdd(&Wrong, 1);
  addOnce();
}
LUTHIER_EXPORT_HOOK_HANDLE(countInSharedMemory);

static constexpr uint32_t Weights[] = {3, 1, 4, 1, 5};
LUTHIER_HOOK_ANNOTATE countInLanes(uint32_t Number) {
  const int Lane = __lane_id();
  const uint32_t Mine = Weights[(Number + Lane) % 5] * Number;
  // Of the others, none need be active.
  if (__shfl(Mine, Lane) != Mine || !(__ballot(1) >> Lane & 1) ||
      Lane != threadIdx.x % __AMDGCN_WAVEFRONT_SIZE ||
      warpSize != __AMDGCN_WAVEFRONT_SIZE)
    atomicAdd(&Wrong, 1);
  addOnce();
}
LUTHIER_EXPORT_HOOK_HANDLE(countInLanes);

LUTHIER_HOOK_ANNOTATE countAt(uint64_t *Managed, uint64_t *Other) {
  luthier::waveAtomicAdd(Managed, 1);
  luthier::waveAtomicAdd(Other, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countAt);

#ifndef __HIP_DEVICE_COMPILE__
struct OfflineHooks : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    const char *Named = std::getenv("OFFLINE_HOOKS");
    const llvm::StringRef Which = Named ? Named : "count";
    const void *Hook =
        Which == "stack"    ? LUTHIER_GET_HOOK_HANDLE(countOnStack)
        : Which == "wave"   ? LUTHIER_GET_HOOK_HANDLE(countInWave)
        : Which == "lanes"  ? LUTHIER_GET_HOOK_HANDLE(countInLanes)
        : Which == "shared" ? LUTHIER_GET_HOOK_HANDLE(countInSharedMemory)
        : Which == "places" ? LUTHIER_GET_HOOK_HANDLE(countAt)
                            : LUTHIER_GET_HOOK_HANDLE(count);
    const bool HasNumber =
        Which == "stack" || Which == "shared" || Which == "lanes";
    uint32_t Number = 0;
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        for (llvm::MachineInstr &MI : MBB)
          LUTHIER_RETURN_ON_ERROR(
              HasNumber
                  ? Task.insertHookBefore(MI, Hook, {0x4c750000 + Number++})
              : Which == "places"
                  ? Task.insertHookBefore(MI, Hook, {&Executed, &Begun})
                  : Task.insertHookBefore(MI, Hook));
    return Which == "wave"
               ? Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(flush))
               : llvm::Error::success();
  }
};
LUTHIER_TOOL(OfflineHooks)
#endif // __HIP_DEVICE_COMPILE__
