// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/Snapshot.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace luthier::emulator {

namespace {

constexpr uint64_t PageBytes = 4096;

/// Tells which pages of this process's anonymous memory were ever written:
/// those that are in memory or swapped out. All, if the kernel does not say.
class WrittenPages {
public:
  WrittenPages() : File(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~WrittenPages() {
    if (File >= 0)
      close(File);
  }

  /// The run of pages from \p At on, no longer than up to \p End, that are all
  /// written or all not.
  uint64_t runFrom(uint64_t At, uint64_t End, bool &Written) {
    Written = isWritten(At);
    for (At += PageBytes; At < End && isWritten(At) == Written;)
      At += PageBytes;
    return std::min(At, End);
  }

private:
  bool isWritten(uint64_t Address) {
    const uint64_t Page = Address / PageBytes;
    if (Page < First || Page >= First + Count) {
      const ssize_t Read = File < 0
                               ? -1
                               : pread(File, Entries.data(), sizeof(Entries),
                                       off_t(Page * sizeof(uint64_t)));
      First = Page;
      Count = Read > 0 ? uint64_t(Read) / sizeof(uint64_t) : 0;
      if (!Count)
        return true;
    }
    constexpr unsigned PresentOrSwapped = 62;
    return Entries[Page - First] >> PresentOrSwapped;
  }

  int File;
  uint64_t First = 0, Count = 0;
  std::array<uint64_t, 512> Entries;
};

/// Reads this process's memory through the kernel, so that what the host has
/// taken away is no fault.
class HostMemory {
public:
  HostMemory() : File(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  ~HostMemory() {
    if (File >= 0)
      close(File);
  }
  bool isOpen() const { return File >= 0; }

  void copy(uint8_t *To, uint64_t From, uint64_t Size) const {
    while (Size) {
      const ssize_t Copied = pread(File, To, Size, off_t(From));
      // Nothing, then this page is not there.
      const uint64_t Step = Copied > 0
                                ? uint64_t(Copied)
                                : std::min(Size, PageBytes - From % PageBytes);
      To += Step, From += Step, Size -= Step;
    }
  }

private:
  int File;
};

} // namespace

Snapshot::~Snapshot() {
  for (const Piece &P : Pieces)
    munmap(P.Host, P.Size);
}

bool Snapshot::add(const AddressSpace::Range &Range) {
  const uint64_t Size = Range.End - Range.Begin;
  void *Host = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Host == MAP_FAILED)
    return false;
  Pieces.push_back({Host, Size});
  return Space.mapAt(Range.Begin, Size, Host);
}

std::unique_ptr<Snapshot> Snapshot::copyOf(const AddressSpace &From,
                                           bool AllAnonymous) {
  std::unique_ptr<Snapshot> New(new Snapshot);
  WrittenPages Pages;
  const HostMemory Memory;
  if (!Memory.isOpen())
    return nullptr;
  for (const AddressSpace::Range &Range : From.ranges()) {
    if (!New->add(Range))
      return nullptr;
    auto *To = static_cast<uint8_t *>(New->Pieces.back().Host);
    const uint64_t Host = Range.Begin + Range.ToHost;
    const uint64_t End = Range.End + Range.ToHost;
    // What the application registered may be a file that is not in memory.
    const bool IsAnonymous = AllAnonymous || Range.ToHost == 0;
    for (uint64_t At = Host, Next; At < End; At = Next) {
      bool Written = true;
      Next = IsAnonymous ? Pages.runFrom(At, End, Written) : End;
      if (Written)
        Memory.copy(To + (At - Host), At, Next - At);
    }
  }
  return New;
}

std::unique_ptr<Snapshot> Snapshot::create(const AddressSpace &From) {
  return copyOf(From, /*AllAnonymous=*/false);
}

std::unique_ptr<Snapshot> Snapshot::clone() const {
  return copyOf(Space, /*AllAnonymous=*/true);
}

bool Snapshot::write(uint64_t Address, const void *From, uint64_t Size) {
  void *To = Space.pointer(Address, Size);
  if (To)
    std::memcpy(To, From, Size);
  return To;
}

} // namespace luthier::emulator
