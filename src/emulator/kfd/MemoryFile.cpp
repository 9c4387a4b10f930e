// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/MemoryFile.h"

#include "emulator/kfd/MapMemory.h"
#include "emulator/kfd/MovePages.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace luthier::emulator {

static std::string failure(const char *What) {
  return std::string(What) + ": " + std::strerror(errno);
}

static void punchHole(int File, uint64_t Offset, uint64_t Size) {
  ::fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(Offset),
              off_t(Size));
}

std::unique_ptr<MemoryFile> MemoryFile::create(std::string &Error) {
  std::unique_ptr<MemoryFile> New(new MemoryFile);
  rlimit Allowed;
  // A signal would end the program.
  if (::getrlimit(RLIMIT_FSIZE, &Allowed) == 0 && Allowed.rlim_cur < Limit) {
    Error = "no file for device memory: files may have no more than " +
            std::to_string(Allowed.rlim_cur) +
            " bytes here; 'ulimit -f unlimited' lifts that";
    return nullptr;
  }
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
  if (::pwrite(New->File, &Magic, sizeof(Magic), 0) != sizeof(Magic)) {
    Error = failure("no memory for the file of device memory");
    return nullptr;
  }
  return New;
}

MemoryFile::~MemoryFile() {
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
  collectAbandoned();
  uint64_t Offset = End;
  if (auto Best = HolesBySize.lower_bound({Size, 0});
      Best != HolesBySize.end()) {
    const auto [HoleSize, Begin] = *Best;
    HolesBySize.erase(Best);
    Holes.erase(Begin);
    if (HoleSize != Size)
      addHole(Begin + Size, HoleSize - Size);
    Offset = Begin;
  } else {
    if (Size > DoorbellsBegin - End)
      return nullptr;
    End += Size;
  }
  return std::shared_ptr<Pages>(
      new Pages(*this, File, Offset, Size, /*IsForeign=*/false));
}

void MemoryFile::addHole(uint64_t Begin, uint64_t Size) {
  auto Take = [&](std::map<uint64_t, uint64_t>::iterator Hole) {
    Begin = std::min(Begin, Hole->first);
    Size += Hole->second;
    HolesBySize.erase({Hole->second, Hole->first});
    Holes.erase(Hole);
  };
  if (auto Next = Holes.find(Begin + Size); Next != Holes.end())
    Take(Next);
  if (auto Next = Holes.lower_bound(Begin); Next != Holes.begin())
    if (auto Before = std::prev(Next); Before->first + Before->second == Begin)
      Take(Before);
  if (Begin + Size == End) {
    End = Begin;
    return;
  }
  Holes.emplace(Begin, Size);
  HolesBySize.emplace(Size, Begin);
}

bool MemoryFile::readRecord(int File, uint64_t Offset, Record &Result) {
  return ::pread(File, &Result, sizeof(Result), off_t(placeOfRecord(Offset))) ==
             sizeof(Result) &&
         Result.Offset == Offset;
}

bool MemoryFile::writeRecord(int File, uint64_t Offset, const Record &New) {
  return ::pwrite(File, &New, sizeof(New), off_t(placeOfRecord(Offset))) ==
         sizeof(New);
}

/// Of the record, by the description that \p File refers to: it holds the lock
/// as long as a descriptor or a mapping refers to it in any process, so what a
/// killed process had locked is free.
static bool lock(int File, short Kind, uint64_t Place) {
  struct flock Lock = {};
  Lock.l_type = Kind;
  Lock.l_whence = SEEK_SET;
  Lock.l_start = off_t(Place);
  Lock.l_len = 1;
  return ::fcntl(File, F_OFD_SETLK, &Lock) == 0;
}

bool MemoryFile::endSharing(uint64_t Offset) {
  if (!lock(File, F_WRLCK, placeOfRecord(Offset)))
    return false;
  writeRecord(File, Offset, {});
  lock(File, F_UNLCK, placeOfRecord(Offset));
  return true;
}

void MemoryFile::release(const Pages &Old) {
  std::lock_guard Lock(Mutex);
  if (Old.IsShared) {
    SharedPages.erase(Old.Offset);
    if (!endSharing(Old.Offset)) {
      Abandoned.emplace(Old.Offset, Old.Size);
      return;
    }
  }
  punchHole(File, Old.Offset, Old.Size);
  addHole(Old.Offset, Old.Size);
}

void MemoryFile::collectAbandoned() {
  for (auto It = Abandoned.begin(); It != Abandoned.end();) {
    const auto [Offset, Size] = *It;
    if (!endSharing(Offset)) {
      ++It;
      continue;
    }
    It = Abandoned.erase(It);
    punchHole(File, Offset, Size);
    addHole(Offset, Size);
  }
}

MemoryFile::Pages::~Pages() {
  if (IsForeign)
    ::close(File);
  else
    Owner.release(*this);
}

void *MemoryFile::Pages::map(void *Address, uint64_t From, uint64_t Bytes,
                             int MapFlags) const {
  if (From > Size || Bytes > Size - From) {
    errno = EINVAL;
    return nullptr;
  }
  void *Begin = mapMemory(Address, Bytes, MapFlags, File, Offset + From);
  return Begin == MAP_FAILED ? nullptr : Begin;
}

void *MemoryFile::Pages::map(void *Address, uint64_t From,
                             uint64_t Bytes) const {
  return map(Address, From, Bytes, MAP_SHARED | (Address ? MAP_FIXED : 0));
}

int MemoryFile::Pages::moveHere(void *Address) const {
  return movePagesToFile(Address, Size, File, Offset);
}

int MemoryFile::Pages::share(uint32_t Flags, uint32_t GpuId, int OpenFlags) {
  // What was imported can be passed on by the descriptor it came with.
  if (IsForeign)
    return ::fcntl(File, OpenFlags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
  const int Fd = Owner.open(Offset, OpenFlags);
  if (Fd < 0)
    return -1;
  std::lock_guard Lock(Owner.Mutex);
  if (!lock(Fd, F_RDLCK, placeOfRecord(Offset)) ||
      (!IsShared &&
       !writeRecord(File, Offset, {Offset, Size, Flags, GpuId, {}}))) {
    const int Saved = errno;
    ::close(Fd);
    errno = Saved;
    return -1;
  }
  IsShared = true;
  Owner.SharedPages[Offset] = weak_from_this();
  return Fd;
}

bool MemoryFile::Pages::setMetadata(const luthier_kfd_metadata &New) {
  Record Known;
  if (!readRecord(File, Offset, Known))
    return false;
  Known.Metadata = New;
  return writeRecord(File, Offset, Known);
}

bool MemoryFile::Pages::getMetadata(luthier_kfd_metadata &Result) const {
  Record Known;
  if (!readRecord(File, Offset, Known))
    return false;
  Result = Known.Metadata;
  return true;
}

MemoryFile::Shared MemoryFile::find(int Fd) {
  struct stat Status;
  if (::fstat(Fd, &Status) != 0 || uint64_t(Status.st_size) != Limit)
    return {};
  const uint64_t Position = positionOf(Fd);
  uint64_t Begin = 0;
  Record Known;
  if (Position < PageBytes || Position >= DoorbellsBegin ||
      ::pread(Fd, &Begin, sizeof(Begin), 0) != sizeof(Begin) ||
      Begin != Magic || !readRecord(Fd, Position, Known))
    return {};
  if (owns(Fd)) {
    std::lock_guard Lock(Mutex);
    auto Found = SharedPages.find(Position);
    if (Found == SharedPages.end())
      return {};
    return {Found->second.lock(), Known.Flags, Known.GpuId};
  }
  const int Copy = ::fcntl(Fd, F_DUPFD_CLOEXEC, 3);
  if (Copy < 0)
    return {};
  return {std::shared_ptr<Pages>(new Pages(*this, Copy, Position, Known.Size,
                                           /*IsForeign=*/true)),
          Known.Flags, Known.GpuId};
}

} // namespace luthier::emulator
