// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool of two files: names that are static in both are two things.
#include "luthier/luthier.h"

#include "Features.h"

MARK_LUTHIER_DEVICE_MODULE

namespace {
__attribute__((managed)) uint32_t Seen[256];
__device__ uint32_t Plain = 5;
} // namespace

LUTHIER_HOOK_ANNOTATE otherFile() {
  if (blockIdx.x == 0)
    Seen[threadIdx.x] = tour::notInlined(threadIdx.x) + Plain;
}
LUTHIER_EXPORT_HOOK_HANDLE(otherFile);

const void *otherFilesHook() { return LUTHIER_GET_HOOK_HANDLE(otherFile); }
uint32_t otherFilesResult(uint32_t Item) { return Seen[Item]; }
