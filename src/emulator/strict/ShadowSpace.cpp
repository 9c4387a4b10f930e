// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/ShadowSpace.h"
#include "emulator/exec/Dispatch.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <sys/mman.h>

namespace luthier::emulator::strict {

/// Null when the host has no address space left.
static uint8_t *reserve(uint64_t Size) {
  void *Memory = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Memory == MAP_FAILED ? nullptr : static_cast<uint8_t *>(Memory);
}

ShadowSpace::ShadowSpace(const AddressSpace &Real, const Dispatch &D,
                         uint8_t NewScratch)
    : Real(Real), NewScratch(NewScratch), ScratchBegin(D.ScratchBase),
      ScratchSize(D.ScratchBytesPerWave * D.ScratchWaves),
      BytesPerWave(D.ScratchBytesPerWave), Touched(D.ScratchWaves) {
  if (ScratchSize)
    Scratch = reserve(ScratchSize);
}

ShadowSpace::~ShadowSpace() {
  if (Scratch)
    munmap(Scratch, ScratchSize);
  for (auto &[Begin, T] : Twins)
    munmap(T.Memory, T.End - Begin);
}

void ShadowSpace::startScratch(unsigned Slot) {
  if (Slot < Touched.size())
    Touched[Slot] = 0;
}

std::optional<AddressSpace::Range>
ShadowSpace::findScratch(uint64_t Address) const {
  // More than any single access, so that none reaches beyond what is ready.
  constexpr uint64_t Step = 1 << 14;
  if (!Scratch)
    return std::nullopt;
  uint64_t Slot = (Address - ScratchBegin) / BytesPerWave;
  uint64_t Begin = Slot * BytesPerWave;
  uint64_t Offset = Address - ScratchBegin - Begin;
  uint64_t Ready = std::min(BytesPerWave, (Offset / Step + 2) * Step);
  if (Ready > Touched[Slot]) {
    std::memset(Scratch + Begin + Touched[Slot], NewScratch,
                Ready - Touched[Slot]);
    Touched[Slot] = Ready;
  }
  return Range{ScratchBegin + Begin, ScratchBegin + Begin + Touched[Slot],
               reinterpret_cast<uint64_t>(Scratch) - ScratchBegin};
}

std::optional<AddressSpace::Range> ShadowSpace::find(uint64_t Address) const {
  if (isScratch(Address))
    return findScratch(Address);
  auto It = Twins.upper_bound(Address);
  if (It != Twins.begin() && std::prev(It)->second.End > Address) {
    --It;
  } else {
    auto Mapped = Real.find(Address);
    if (!Mapped)
      return std::nullopt;
    // Mappings may have grown since, over parts that have a twin already.
    uint64_t End = Mapped->End, Begin = Mapped->Begin;
    if (It != Twins.end())
      End = std::min(End, It->first);
    if (It != Twins.begin())
      Begin = std::max(Begin, std::prev(It)->second.End);
    uint8_t *Memory = reserve(End - Begin);
    if (!Memory)
      return std::nullopt;
    It = Twins.try_emplace(Begin, Twin{End, Memory}).first;
  }
  return Range{It->first, It->second.End,
               reinterpret_cast<uint64_t>(It->second.Memory) - It->first};
}

} // namespace luthier::emulator::strict
