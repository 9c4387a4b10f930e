// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/MemoryFile.h"

#include "emulator/kfd/MapMemory.h"
#include "emulator/kfd/MovePages.h"
#include "llvm/Support/MathExtras.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

/// What other processes read and write with the file's descriptor in hand.
struct MemoryFile::Header {
  static constexpr uint64_t Expected = 0x3164666b2d74756c; // "lut-kfd1"
  uint64_t Magic;
  static constexpr unsigned Capacity = 2047;
  uint64_t Padding[3];
  Record Records[Capacity];
};

static std::string failure(const char *What) {
  return std::string(What) + ": " + std::strerror(errno);
}

std::unique_ptr<MemoryFile> MemoryFile::create(std::string &Error) {
  std::unique_ptr<MemoryFile> New(new MemoryFile);
  New->File = ::memfd_create("luthier-device-memory", MFD_CLOEXEC);
  struct stat Status;
  // Pages that nobody touches cost nothing.
  if (New->File < 0 || ::ftruncate(New->File, Limit) != 0 ||
      ::fstat(New->File, &Status) != 0) {
    Error = failure("no file for device memory");
    return nullptr;
  }
  New->Device = Status.st_dev;
  New->Inode = Status.st_ino;
  New->End = llvm::alignTo(sizeof(Header), PageBytes);
  void *Begin = mapMemory(nullptr, New->End, MAP_SHARED, New->File, 0);
  if (Begin == MAP_FAILED) {
    Error = failure("no memory for the file of device memory");
    return nullptr;
  }
  New->TheHeader = static_cast<Header *>(Begin);
  New->TheHeader->Magic = Header::Expected;
  return New;
}

MemoryFile::~MemoryFile() {
  if (TheHeader)
    ::munmap(TheHeader, llvm::alignTo(sizeof(Header), PageBytes));
  if (File >= 0)
    ::close(File);
}

int MemoryFile::open(uint64_t Position, int Flags) const {
  char Path[64];
  std::snprintf(Path, sizeof(Path), "/proc/self/fd/%d", File);
  const int Fd = ::open(Path, O_RDWR | (Flags & O_CLOEXEC));
  if (Fd >= 0)
    ::lseek(Fd, off_t(Position), SEEK_SET);
  return Fd;
}

bool MemoryFile::owns(int Fd) const {
  struct stat Status;
  const int Saved = errno;
  // fstat() itself asks this.
  const bool Ours = ::syscall(SYS_fstat, Fd, &Status) == 0 &&
                    Status.st_ino == Inode && Status.st_dev == Device;
  errno = Saved;
  return Ours;
}

uint64_t MemoryFile::positionOf(int Fd) {
  return uint64_t(::lseek(Fd, 0, SEEK_CUR));
}

uint64_t *MemoryFile::mapDoorbells(unsigned Index) const {
  void *Begin = mapMemory(nullptr, DoorbellBytes, MAP_SHARED, File,
                          doorbellOffset(Index));
  return Begin == MAP_FAILED ? nullptr : static_cast<uint64_t *>(Begin);
}

std::shared_ptr<MemoryFile::Pages> MemoryFile::allocate(uint64_t Size) {
  Size = llvm::alignTo(Size, PageBytes);
  std::lock_guard Lock(Mutex);
  uint64_t Offset = 0;
  // From a hole of just the right size, or from the end.
  if (auto It = Free.find(Size); It != Free.end()) {
    Offset = It->second;
    Free.erase(It);
  } else {
    if (Size > DoorbellsBegin - End)
      return nullptr;
    Offset = End;
    End += Size;
  }
  return std::shared_ptr<Pages>(
      new Pages(*this, File, Offset, Size, /*IsForeign=*/false));
}

MemoryFile::Record *MemoryFile::record(uint64_t Offset) {
  for (Record &R : TheHeader->Records)
    if (R.Offset == Offset)
      return &R;
  return nullptr;
}

void MemoryFile::release(Pages &Old) {
  std::lock_guard Lock(Mutex);
  if (Old.IsShared) {
    SharedPages.erase(Old.Offset);
    Record *Known = record(Old.Offset);
    // Another process still has them: they are left to it.
    if (__atomic_load_n(&Known->NumImports, __ATOMIC_ACQUIRE) != 0)
      return;
    *Known = {};
  }
  ::fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              off_t(Old.Offset), off_t(Old.Size));
  Free.emplace(Old.Size, Old.Offset);
}

namespace {
/// The header of another process's file, while it is looked at.
template <class Header> class MappedHeader {
public:
  explicit MappedHeader(int File)
      : Begin(mapMemory(nullptr, Bytes, MAP_SHARED, File, 0)) {}
  ~MappedHeader() {
    if (Begin != MAP_FAILED)
      ::munmap(Begin, Bytes);
  }
  MappedHeader(const MappedHeader &) = delete;
  Header *operator->() const { return static_cast<Header *>(Begin); }
  bool isValid() const { return Begin != MAP_FAILED; }

private:
  static constexpr size_t Bytes = (sizeof(Header) + 4095) / 4096 * 4096;
  void *Begin;
};
} // namespace

template <class F> bool MemoryFile::withRecord(const Pages &Of, F Use) {
  MappedHeader<Header> There(Of.File);
  if (!There.isValid())
    return false;
  for (Record &R : There->Records)
    if (R.Offset == Of.Offset) {
      Use(R);
      return true;
    }
  return false;
}

MemoryFile::Pages::~Pages() {
  if (!IsForeign) {
    Owner.release(*this);
    return;
  }
  withRecord(*this, [](Record &R) {
    __atomic_sub_fetch(&R.NumImports, 1, __ATOMIC_ACQ_REL);
  });
  ::close(File);
}

void *MemoryFile::Pages::map(void *Address, uint64_t From,
                             uint64_t Bytes) const {
  if (From > Size || Bytes > Size - From) {
    errno = EINVAL;
    return nullptr;
  }
  void *Begin =
      mapMemory(Address, Bytes, MAP_SHARED | (Address ? MAP_FIXED : 0), File,
                Offset + From);
  return Begin == MAP_FAILED ? nullptr : Begin;
}

int MemoryFile::Pages::moveHere(void *Address) const {
  return movePagesToFile(Address, Size, File, Offset);
}

int MemoryFile::Pages::share(uint32_t Flags, uint32_t GpuId, int OpenFlags) {
  // What was imported can be passed on by the descriptor it came with.
  if (IsForeign)
    return ::fcntl(File, OpenFlags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
  {
    std::lock_guard Lock(Owner.Mutex);
    Record *Known = Owner.record(IsShared ? Offset : 0);
    if (!Known) {
      errno = ENOSPC;
      return -1;
    }
    if (!IsShared)
      *Known = {Offset, Size, Flags, GpuId, 0, 0, {}};
    IsShared = true;
    Owner.SharedPages[Offset] = weak_from_this();
  }
  return Owner.open(Offset, OpenFlags);
}

bool MemoryFile::Pages::setMetadata(const luthier_kfd_metadata &New) {
  return withRecord(*this, [&](Record &R) { R.Metadata = New; });
}

bool MemoryFile::Pages::getMetadata(luthier_kfd_metadata &Result) const {
  return withRecord(*this, [&](Record &R) { Result = R.Metadata; });
}

MemoryFile::Shared MemoryFile::find(int Fd) {
  struct stat Status;
  if (::fstat(Fd, &Status) != 0 || uint64_t(Status.st_size) != Limit)
    return {};
  const uint64_t Position = positionOf(Fd);
  if (Position < PageBytes)
    return {};
  MappedHeader<Header> There(Fd);
  if (!There.isValid() || There->Magic != Header::Expected)
    return {};
  for (Record &R : There->Records) {
    if (R.Offset != Position)
      continue;
    if (owns(Fd)) {
      std::lock_guard Lock(Mutex);
      return {SharedPages[Position].lock(), R.Flags, R.GpuId};
    }
    const int Copy = ::fcntl(Fd, F_DUPFD_CLOEXEC, 3);
    if (Copy < 0)
      return {};
    __atomic_add_fetch(&R.NumImports, 1, __ATOMIC_ACQ_REL);
    return {std::shared_ptr<Pages>(new Pages(*this, Copy, R.Offset, R.Size,
                                             /*IsForeign=*/true)),
            R.Flags, R.GpuId};
  }
  return {};
}

} // namespace luthier::emulator
