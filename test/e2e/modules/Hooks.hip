// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that Modules.hip loads. Names are those of its own.
#include "luthier/Hook.h"
#include "luthier/Intrinsics.h"

#if defined(__gfx906__)
#define KIND 906
#elif defined(__gfx908__)
#define KIND 908
#else
#define KIND 910
#endif

MARK_LUTHIER_DEVICE_MODULE
__device__ uint64_t Count = 1000;
__device__ uint32_t Kind = KIND;
__attribute__((managed)) uint64_t Total = 50;

LUTHIER_HOOK_ANNOTATE count(uint32_t By) {
  luthier::waveAtomicAdd(&Count, uint64_t(By));
  luthier::waveAtomicAdd(&Total, uint64_t(1));
}
