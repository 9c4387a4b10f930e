// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/AddressSpace.h"

namespace luthier::emulator {

void AddressSpace::map(uint64_t Address, uint64_t Size) {
  std::unique_lock Lock(Mutex);
  EndOf[Address] = Address + Size;
  Generation.fetch_add(1, std::memory_order_release);
}

void AddressSpace::unmap(uint64_t Address) {
  std::unique_lock Lock(Mutex);
  EndOf.erase(Address);
  Generation.fetch_add(1, std::memory_order_release);
}

std::optional<AddressSpace::Range>
AddressSpace::find(uint64_t Address) const {
  std::shared_lock Lock(Mutex);
  auto It = EndOf.upper_bound(Address);
  if (It == EndOf.begin())
    return std::nullopt;
  --It;
  if (Address >= It->second)
    return std::nullopt;
  return Range{It->first, It->second};
}

} // namespace luthier::emulator
