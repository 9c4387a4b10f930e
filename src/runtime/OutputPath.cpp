// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for tools' files. A run may consist of several processes (a shell and
// its commands, a launcher and its workers): the first that asks for a name
// gets it, the others get it with their process id inserted, as all their names
// in that folder from then on. A file that is older than the run is kept under
// another name: it may be the result of another run into this folder. If that
// run still goes on, its process holds a lock on the file, and the name is its
// own.
#include "luthier/Tool.h"
#include "runtime/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace luthier {
namespace {

int64_t nanoseconds(const timespec &Time) {
  return int64_t(Time.tv_sec) * 1'000'000'000 + Time.tv_nsec;
}

/// When the run began. `luthier run` sets the variable; without it, the first
/// process that loads this library does, for its children.
int64_t runStart() {
  timespec Now;
  // The clock that dates files; the precise one is ahead of it.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &Now);
  ::setenv("LUTHIER_RUN_STARTED", std::to_string(nanoseconds(Now)).c_str(),
           /*overwrite=*/0);
  return std::strtoll(std::getenv("LUTHIER_RUN_STARTED"), nullptr, 10);
}

const int64_t RunStart = runStart();

/// Out of the way, under a name that is free: "counts.json.~1~".
void keepOld(const std::string &Path) {
  struct stat Ignored;
  for (unsigned N = 1; N != 0; ++N) {
    const std::string Name = Path + ".~" + std::to_string(N) + "~";
    if (::lstat(Name.c_str(), &Ignored) == 0)
      continue;
    ::rename(Path.c_str(), Name.c_str());
    return;
  }
}

/// Whether a process that lives has it.
bool isLocked(const std::string &Path) {
  const int File =
      ::open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (File < 0)
    return false;
  const bool IsLocked =
      ::flock(File, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(File);
  return IsLocked;
}

/// Of a file that this process has put somewhere.
class FileLock {
public:
  /// Takes \p File over; has nothing if that is no regular file.
  static FileLock take(int File) {
    FileLock Result;
    struct stat Its;
    if (::fstat(File, &Its) == 0 && S_ISREG(Its.st_mode) &&
        ::flock(File, LOCK_EX | LOCK_NB) == 0) {
      Result.Device = Its.st_dev;
      Result.Inode = Its.st_ino;
      // The low numbers are the program's, which may have closed its streams
      // and opens others in their place.
      constexpr int Least = 64;
      Result.Fd = ::fcntl(File, F_DUPFD_CLOEXEC, Least);
    }
    ::close(File);
    return Result;
  }
  /// Unless the program has closed it: then it may be one of the program's.
  void release() {
    struct stat Its;
    if (Fd >= 0 && ::fstat(Fd, &Its) == 0 && isOf(Its))
      ::close(Fd);
    *this = FileLock();
  }
  explicit operator bool() const { return Inode != 0; }
  bool isOf(const struct stat &File) const {
    return File.st_dev == Device && File.st_ino == Inode;
  }

private:
  int Fd = -1;
  dev_t Device = 0;
  ino_t Inode = 0;
};

/// A name that this process has.
struct Claim {
  std::string Path;
  FileLock Lock;

  /// Another run's file has come to be there. A lock goes with its descriptor,
  /// and programs may close all that they have.
  bool isLost() const {
    struct stat Its;
    return Lock && ::lstat(Path.c_str(), &Its) == 0 && S_ISREG(Its.st_mode) &&
           !Lock.isOf(Its);
  }
};

/// Creates \p Path unless another process of this run has, or one of a run that
/// goes on. True also where nothing can be created: the tool's own attempt will
/// say why.
bool claim(const std::string &Path, FileLock &Its) {
  std::string Directory = sys::path::parent_path(Path).str();
  int Lock = ::open(Directory.empty() ? "." : Directory.c_str(),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Lock < 0)
    return true;
  ::flock(Lock, LOCK_EX);
  struct stat Existing;
  const bool IsThere = ::lstat(Path.c_str(), &Existing) == 0;
  const bool Taken = IsThere && (nanoseconds(Existing.st_mtim) >= RunStart ||
                                 (S_ISREG(Existing.st_mode) && isLocked(Path)));
  if (IsThere && !Taken && S_ISREG(Existing.st_mode) && Existing.st_size)
    keepOld(Path);
  if (!Taken) {
    int File =
        ::open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (File >= 0)
      Its = FileLock::take(File);
  }
  ::close(Lock);
  return !Taken;
}

/// The names that this process has.
class Claims {
public:
  Claim &find(StringRef FileName) {
    // A forked child has its parent's names; they are not for it.
    if (KnownBy != ::getpid()) {
      for (auto &Entry : Known)
        Entry.second.Lock.release();
      Known.clear();
      FoldersWithId.clear();
    }
    KnownBy = ::getpid();
    Claim &Its = Known[FileName];
    if (Its.Path.empty())
      choose(FileName, Its);
    return Its;
  }
  /// Another name, behind what has come to be where the file was.
  Claim &findAnother(StringRef FileName) {
    Claim &Its = find(FileName);
    Its.Lock.release();
    Its.Path.clear();
    return find(FileName);
  }

  std::mutex Lock;

private:
  void choose(StringRef FileName, Claim &Result);

  StringMap<Claim> Known;
  pid_t KnownBy = 0;
  /// Folders where all names have the process id, so that the files of a
  /// process belong together.
  StringSet<> FoldersWithId;
};

void Claims::choose(StringRef FileName, Claim &Result) {
  SmallString<128> Path;
  if (const char *Directory = std::getenv("LUTHIER_OUTPUT")) {
    Path = Directory;
    (void)sys::fs::create_directories(Path);
  }
  sys::path::append(Path, FileName);
  Result.Path = std::string(Path);
  const std::string Extension = sys::path::extension(FileName).str();
  // A process that becomes another program keeps its id.
  const StringRef Folder = sys::path::parent_path(Path);
  if (!FoldersWithId.contains(Folder) && claim(Result.Path, Result.Lock))
    return;
  FoldersWithId.insert(Folder);
  for (unsigned N = 1;; ++N) {
    SmallString<128> Other(Path);
    sys::path::replace_extension(Other, "." + Twine(::getpid()) +
                                            (N > 1 ? "-" + Twine(N) : "") +
                                            Extension);
    Result.Path = std::string(Other);
    if (claim(Result.Path, Result.Lock))
      return;
  }
}

Claims &claims() {
  static auto *All = new Claims;
  return *All;
}

} // namespace

std::string outputPath(StringRef FileName) {
  Claims &All = claims();
  std::lock_guard Guard(All.Lock);
  return All.find(FileName).Path;
}

std::string runtime::pathOfReport(StringRef FileName) {
  Claims &All = claims();
  std::lock_guard Guard(All.Lock);
  Claim &Its = All.find(FileName);
  return Its.isLost() ? All.findAnother(FileName).Path : Its.Path;
}

std::error_code runtime::replaceReport(StringRef FileName,
                                       const std::string &New) {
  Claims &All = claims();
  std::lock_guard Guard(All.Lock);
  Claim &Its = All.find(FileName);
  // Locked before it is there.
  const int File = ::open(New.c_str(), O_WRONLY | O_CLOEXEC);
  FileLock Next = File < 0 ? FileLock() : FileLock::take(File);
  const std::error_code Failure = sys::fs::rename(New, Its.Path);
  (Failure ? Next : Its.Lock).release();
  if (!Failure)
    Its.Lock = Next;
  return Failure;
}

} // namespace luthier
