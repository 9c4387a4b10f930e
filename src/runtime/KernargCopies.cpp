// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/KernargCopies.h"
#include "runtime/HostMemory.h"
#include "runtime/HsaApi.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace luthier::runtime {

/// Of a cache line, as HIP does it.
static constexpr size_t LeastAlignment = 64;
/// Of what memory pools give.
static constexpr size_t PageSize = 4096;

KernargCopies::~KernargCopies() {
  if (!isHsaOpen())
    return;
  for (const Chunk &C : Chunks) {
    amdApi().hsa_amd_memory_pool_free_fn(C.Begin);
    coreApi().hsa_signal_destroy_fn(C.Done);
  }
}

Expected<KernargCopies::Chunk> KernargCopies::makeChunk(size_t Size) {
  auto Pool = hostPool(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  if (!Pool)
    return createStringError("there is no memory for kernel arguments");
  Chunk New;
  New.Size = std::max(ChunkSize, Size);
  void *Begin = nullptr;
  if (Error E = checkHsa(amdApi().hsa_amd_memory_pool_allocate_fn(
                             *Pool, New.Size, /*flags=*/0, &Begin),
                         "allocating memory for kernel arguments"))
    return std::move(E);
  New.Begin = static_cast<uint8_t *>(Begin);
  hsa_status_t Status =
      amdApi().hsa_amd_agents_allow_access_fn(1, &Agent, nullptr, Begin);
  if (Status == HSA_STATUS_SUCCESS)
    Status = coreApi().hsa_signal_create_fn(0, 0, nullptr, &New.Done);
  if (Error E = checkHsa(Status, "sharing memory for kernel arguments")) {
    amdApi().hsa_amd_memory_pool_free_fn(Begin);
    return std::move(E);
  }
  return New;
}

Expected<KernargCopies::Chunk *> KernargCopies::nextChunk(size_t Size) {
  if (Current != SIZE_MAX)
    Chunks[Current].IsFull = true;
  Used = 0;
  for (Current = 0; Current != Chunks.size(); ++Current) {
    Chunk &C = Chunks[Current];
    if (!C.IsFull && C.Size >= Size &&
        coreApi().hsa_signal_load_scacquire_fn(C.Done) < 1)
      return &C;
  }
  Expected<Chunk> New = makeChunk(Size);
  if (!New) {
    Current = SIZE_MAX;
    return New.takeError();
  }
  Chunks.push_back(*New);
  return &Chunks.back();
}

Expected<uint8_t *> KernargCopies::allocate(size_t Size, size_t Align) {
  Align = std::max(Align, LeastAlignment);
  if (!isPowerOf2_64(Align) || Align > PageSize)
    return createStringError("arguments aligned to " + Twine(Align) +
                             " bytes cannot be copied");
  Size = alignTo(Size, LeastAlignment);
  Chunk *C = Current == SIZE_MAX ? nullptr : &Chunks[Current];
  Used = alignTo(Used, Align);
  if (!C || Used + Size > C->Size) {
    Expected<Chunk *> Next = nextChunk(Size);
    if (!Next)
      return Next.takeError();
    C = *Next;
  }
  uint8_t *Result = C->Begin + Used;
  Used += Size;
  return Result;
}

bool KernargCopies::submitting(hsa_barrier_and_packet_t &Marker) {
  auto Full = std::find_if(Chunks.begin(), Chunks.end(),
                           [](const Chunk &C) { return C.IsFull; });
  if (Full == Chunks.end())
    return false;
  Full->IsFull = false;
  coreApi().hsa_signal_store_relaxed_fn(Full->Done, 1);
  Marker = {};
  Marker.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                  1 << HSA_PACKET_HEADER_BARRIER;
  Marker.completion_signal = Full->Done;
  return true;
}

} // namespace luthier::runtime
