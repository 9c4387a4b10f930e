// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/Memory.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace luthier::emulator::api {

namespace {
constexpr uint64_t PageBytes = 4096;
uint64_t roundUp(uint64_t Value, uint64_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}
} // namespace

Memory::~Memory() {
  for (const auto &[Address, O] : Owned)
    munmap(O.Host, O.Size);
}

bool Memory::lend(uint64_t Address, uint64_t Size, void *Host) {
  if (!Space.mapAt(Address, Size, Host))
    return false;
  Lent.emplace(Address, Size);
  return true;
}

bool Memory::takeBack(uint64_t Address) {
  auto Found = Lent.find(Address);
  if (Found == Lent.end())
    return false;
  Space.unmap(Address, Found->second);
  Lent.erase(Found);
  return true;
}

uint64_t Memory::allocate(uint64_t Size, uint64_t Alignment) {
  constexpr uint64_t Most = uint64_t(1) << 40;
  if (Size > Most)
    return 0;
  const uint64_t Bytes = roundUp(std::max<uint64_t>(Size, 1), PageBytes);
  void *Host = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Host == MAP_FAILED)
    return 0;
  uint64_t Address;
  // Only the bytes asked for exist, and a gap follows: strays are seen.
  do {
    Address = roundUp(Next, std::max(Alignment, PageBytes));
    Next = Address + Bytes + PageBytes;
  } while (!Space.mapAt(Address, std::max<uint64_t>(Size, 1), Host));
  Owned.emplace(Address, Own{Host, Bytes});
  return Address;
}

bool Memory::free(uint64_t Address) {
  auto Found = Owned.find(Address);
  if (Found == Owned.end())
    return false;
  Space.unmap(Address);
  munmap(Found->second.Host, Found->second.Size);
  Owned.erase(Found);
  return true;
}

uint8_t *Memory::piece(uint64_t Address, uint64_t &Size) const {
  auto Range = Space.find(Address);
  if (!Range)
    return nullptr;
  Size = std::min(Size, Range->End - Address);
  return reinterpret_cast<uint8_t *>(Address + Range->ToHost);
}

bool Memory::read(uint64_t Address, void *To, uint64_t Size) const {
  if (!Space.contains(Address, Size))
    return false;
  for (auto *Out = static_cast<uint8_t *>(To); Size;) {
    uint64_t Part = Size;
    std::memcpy(Out, piece(Address, Part), Part);
    Out += Part, Address += Part, Size -= Part;
  }
  return true;
}

bool Memory::write(uint64_t Address, const void *From, uint64_t Size) {
  if (!Space.contains(Address, Size))
    return false;
  for (auto *In = static_cast<const uint8_t *>(From); Size;) {
    uint64_t Part = Size;
    std::memcpy(piece(Address, Part), In, Part);
    In += Part, Address += Part, Size -= Part;
  }
  return true;
}

} // namespace luthier::emulator::api
