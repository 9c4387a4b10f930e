// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/Memory.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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

/// Only the bytes asked for exist for the device.
Memory::Own *Memory::add(uint64_t Address, uint64_t Size) {
  const uint64_t Bytes = roundUp(Size, PageBytes);
  void *Host = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Host == MAP_FAILED)
    return nullptr;
  if (!Space.mapAt(Address, Size, Host)) {
    munmap(Host, Bytes);
    return nullptr;
  }
  return &Owned.emplace(Address, Own{Host, Bytes, Size}).first->second;
}

uint64_t Memory::allocate(uint64_t Size, uint64_t Alignment) {
  constexpr uint64_t Most = uint64_t(1) << 40;
  Size = std::max<uint64_t>(Size, 1);
  if (Size > Most)
    return 0;
  uint64_t Address = roundUp(Next, std::max(Alignment, PageBytes));
  // What was lent may lie in the way.
  for (auto Range = Space.ranges(); const AddressSpace::Range &R : Range)
    if (R.Begin < Address + Size && R.End > Address)
      Address = roundUp(R.End, std::max(Alignment, PageBytes));
  if (!add(Address, Size))
    return 0;
  // A gap follows: strays are seen.
  Next = roundUp(Address + Size, PageBytes) + PageBytes;
  return Address;
}

namespace {

/// Which pages of anonymous memory have ever been written: those that are in
/// memory or swapped out. All of them if the kernel does not say.
class TouchedPages {
public:
  TouchedPages() : File(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~TouchedPages() {
    if (File >= 0)
      close(File);
  }
  bool contains(const void *Page) const {
    uint64_t Entry;
    const auto Index = reinterpret_cast<uint64_t>(Page) / PageBytes;
    if (File < 0 || pread(File, &Entry, sizeof(Entry),
                          off_t(Index * sizeof(Entry))) != sizeof(Entry))
      return true;
    return Entry >> 62;
  }

private:
  int File;
};

} // namespace

bool Memory::copyFrom(const Memory &From) {
  const TouchedPages Touched;
  for (const auto &[Address, O] : From.Owned) {
    Own *Mine = add(Address, O.Wanted);
    if (!Mine)
      return false;
    const auto *Source = static_cast<const uint8_t *>(O.Host);
    auto *Target = static_cast<uint8_t *>(Mine->Host);
    for (uint64_t N = 0; N != O.Size; N += PageBytes)
      if (Touched.contains(Source + N))
        std::memcpy(Target + N, Source + N, PageBytes);
  }
  for (const auto &[Address, Size] : From.Lent) {
    Own *Mine = add(Address, Size);
    if (!Mine || !From.read(Address, Mine->Host, Size))
      return false;
  }
  Next = From.Next;
  return true;
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
