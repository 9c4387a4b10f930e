// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/AddressSpace.h"

#include <algorithm>
#include <iterator>

namespace luthier::emulator {

void AddressSpace::map(uint64_t Address, uint64_t Size) {
  if (Size == 0)
    return;
  std::unique_lock Lock(Mutex);
  Mappings.emplace(Address, Extent{Address + Size, 0});
  cover(Address, Address + Size, 0);
  Generation.fetch_add(1, std::memory_order_release);
}

bool AddressSpace::mapAt(uint64_t Address, uint64_t Size, void *Host) {
  const uint64_t End = Address + Size;
  if (Size == 0 || End < Address)
    return false;
  std::unique_lock Lock(Mutex);
  auto Next = Extents.lower_bound(Address);
  if (Next != Extents.end() && Next->first < End)
    return false;
  if (Next != Extents.begin() && std::prev(Next)->second.End > Address)
    return false;
  const uint64_t ToHost = reinterpret_cast<uint64_t>(Host) - Address;
  Mappings.emplace(Address, Extent{End, ToHost});
  Extents.emplace(Address, Extent{End, ToHost});
  Generation.fetch_add(1, std::memory_order_release);
  return true;
}

void AddressSpace::unmap(uint64_t Address) {
  std::unique_lock Lock(Mutex);
  // Equal keys are kept in order of insertion, so the last is the latest.
  auto Latest = Mappings.upper_bound(Address);
  if (Latest == Mappings.begin() || std::prev(Latest)->first != Address)
    return;
  remove(std::prev(Latest));
}

void AddressSpace::unmap(uint64_t Address, uint64_t Size) {
  std::unique_lock Lock(Mutex);
  auto [First, Last] = Mappings.equal_range(Address);
  auto It = std::find_if(First, Last, [&](const auto &Mapping) {
    return Mapping.second.End == Address + Size;
  });
  if (It != Last)
    remove(It);
}

void AddressSpace::remove(std::multimap<uint64_t, Extent>::iterator Mapping) {
  std::optional<Range> Covered = findLocked(Mapping->first);
  Mappings.erase(Mapping);
  Extents.erase(Covered->Begin);
  // Whatever else had merged into that range lies within it.
  for (auto It = Mappings.lower_bound(Covered->Begin);
       It != Mappings.end() && It->first < Covered->End; ++It)
    cover(It->first, It->second.End, It->second.ToHost);
  Generation.fetch_add(1, std::memory_order_release);
}

void AddressSpace::cover(uint64_t Begin, uint64_t End, uint64_t ToHost) {
  auto It = Extents.upper_bound(Begin);
  if (It != Extents.begin() && std::prev(It)->second.End > Begin)
    --It;
  while (It != Extents.end() && It->first < End) {
    Begin = std::min(Begin, It->first);
    End = std::max(End, It->second.End);
    It = Extents.erase(It);
  }
  Extents.emplace(Begin, Extent{End, ToHost});
}

std::optional<AddressSpace::Range> AddressSpace::find(uint64_t Address) const {
  std::shared_lock Lock(Mutex);
  return findLocked(Address);
}

bool AddressSpace::contains(uint64_t Address, uint64_t Size) const {
  std::shared_lock Lock(Mutex);
  const uint64_t End = Address + Size;
  if (End < Address)
    return false;
  while (Address < End) {
    std::optional<Range> Found = findLocked(Address);
    if (!Found)
      return false;
    Address = Found->End;
  }
  return true;
}

void *AddressSpace::pointer(uint64_t Address, uint64_t Size) const {
  std::optional<Range> First = find(Address);
  if (!First)
    return nullptr;
  for (std::optional<Range> Last = First; Size > Last->End - Address;) {
    Last = find(Last->End);
    if (!Last || Last->ToHost != First->ToHost)
      return nullptr;
  }
  return reinterpret_cast<void *>(Address + First->ToHost);
}

std::vector<AddressSpace::Range> AddressSpace::ranges() const {
  std::shared_lock Lock(Mutex);
  std::vector<Range> All;
  for (const auto &[Begin, E] : Extents)
    All.push_back({Begin, E.End, E.ToHost});
  return All;
}

std::optional<AddressSpace::Range>
AddressSpace::findLocked(uint64_t Address) const {
  auto It = Extents.upper_bound(Address);
  if (It == Extents.begin())
    return std::nullopt;
  --It;
  if (Address >= It->second.End)
    return std::nullopt;
  return Range{It->first, It->second.End, It->second.ToHost};
}

} // namespace luthier::emulator
