// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/AddressSpace.h"

#include <algorithm>
#include <iterator>

namespace luthier::emulator {

void AddressSpace::map(uint64_t Address, uint64_t Size) {
  if (Size == 0)
    return;
  std::unique_lock Lock(Mutex);
  Mappings.emplace(Address, Address + Size);
  cover(Address, Address + Size);
  Generation.fetch_add(1, std::memory_order_release);
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
    return Mapping.second == Address + Size;
  });
  if (It != Last)
    remove(It);
}

void AddressSpace::remove(std::multimap<uint64_t, uint64_t>::iterator Mapping) {
  std::optional<Range> Covered = findLocked(Mapping->first);
  Mappings.erase(Mapping);
  EndOf.erase(Covered->Begin);
  // Whatever else had merged into that range lies within it.
  for (auto It = Mappings.lower_bound(Covered->Begin);
       It != Mappings.end() && It->first < Covered->End; ++It)
    cover(It->first, It->second);
  Generation.fetch_add(1, std::memory_order_release);
}

void AddressSpace::cover(uint64_t Begin, uint64_t End) {
  auto It = EndOf.upper_bound(Begin);
  if (It != EndOf.begin() && std::prev(It)->second > Begin)
    --It;
  while (It != EndOf.end() && It->first < End) {
    Begin = std::min(Begin, It->first);
    End = std::max(End, It->second);
    It = EndOf.erase(It);
  }
  EndOf.emplace(Begin, End);
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

std::optional<AddressSpace::Range>
AddressSpace::findLocked(uint64_t Address) const {
  auto It = EndOf.upper_bound(Address);
  if (It == EndOf.begin())
    return std::nullopt;
  --It;
  if (Address >= It->second)
    return std::nullopt;
  return Range{It->first, It->second};
}

} // namespace luthier::emulator
