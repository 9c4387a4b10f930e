// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks whose lanes exchange values, in kernels of both wave sizes, which share
// all their variables.
#include "luthier/luthier.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

__attribute__((managed)) uint32_t Waves[2]; ///< Of 32, of 64 lanes.
__attribute__((managed)) uint32_t Total, Wrong;

// Only hooks know them.
static __device__ uint32_t Sum = 1000000;
static __constant__ uint32_t Weights[] = {3, 5};

__device__ uint32_t twice(uint32_t N) { return 2 * N; }
__device__ uint32_t thrice(uint32_t N) { return 3 * N; }
static __device__ uint32_t (*Operations[])(uint32_t) = {twice, thrice};

/// The same in every lane of 16, however large the wave is.
__device__ uint32_t sumOf16(uint32_t N) {
  for (int Distance = 1; Distance != 16; Distance *= 2)
    N += __shfl_xor(N, Distance);
  return N;
}

LUTHIER_HOOK_ANNOTATE visit() {
  __shared__ uint32_t Box[64];
  const uint32_t Lane = __lane_id();
  if (Lane == 0)
    atomicAdd(&Waves[warpSize == 64], 1u);
  const uint64_t All = ~0ull >> (64 - __AMDGCN_WAVEFRONT_SIZE);
  const uint32_t First = threadIdx.x & ~15u;
  if (__ballot(1) != All || !__all(1) || Lane != threadIdx.x % warpSize ||
      sumOf16(threadIdx.x) != 16 * First + 120 ||
      __shfl(threadIdx.x, (Lane + 1) % 8, 8) !=
          (threadIdx.x & ~7u) + (Lane + 1) % 8)
    atomicAdd(&Wrong, 1u);
  Box[threadIdx.x] = Operations[Lane % 2](threadIdx.x);
  if (__shfl_xor(Box[threadIdx.x], 1) !=
      Operations[1 - Lane % 2](threadIdx.x ^ 1))
    atomicAdd(&Wrong, 1u);
  // Whoever comes last knows it all.
  const uint32_t Mine = Weights[Lane % 2];
  atomicMax(&Total, atomicAdd(&Sum, Mine) + Mine);
}
LUTHIER_EXPORT_HOOK_HANDLE(visit);

struct WaveSizes : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(visit));
  }
  void report(llvm::raw_ostream &OS) override {
    OS << Waves[0] << " waves of 32, " << Waves[1] << " of 64, total " << Total
       << ", " << Wrong << " wrong\n";
    for (const RefusedKernel &K : refusals())
      OS << K.Kernel << ": " << K.Reason << '\n';
  }
};
LUTHIER_TOOL(WaveSizes)
