// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for tools' files. A run may consist of several processes (a shell and
// its commands, a launcher and its workers): the first that asks for a name
// gets it, the others get it with their process id inserted. A file that is
// older than the run is kept under another name: it may be the result of
// another run into this folder.
#include "luthier/Tool.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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

/// Creates \p Path unless another process of this run has. True also where
/// nothing can be created: the tool's own attempt will say why.
bool claim(const std::string &Path) {
  std::string Directory = sys::path::parent_path(Path).str();
  int Lock = ::open(Directory.empty() ? "." : Directory.c_str(),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Lock < 0)
    return true;
  ::flock(Lock, LOCK_EX);
  struct stat Existing;
  const bool IsThere = ::lstat(Path.c_str(), &Existing) == 0;
  const bool Taken = IsThere && nanoseconds(Existing.st_mtim) >= RunStart;
  if (IsThere && !Taken && S_ISREG(Existing.st_mode) && Existing.st_size)
    keepOld(Path);
  if (!Taken) {
    int File =
        ::open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (File >= 0)
      ::close(File);
  }
  ::close(Lock);
  return !Taken;
}

} // namespace

std::string outputPath(StringRef FileName) {
  static std::mutex Lock;
  static auto *Known = new StringMap<std::string>;
  static pid_t KnownBy = 0;
  std::lock_guard Guard(Lock);
  // A forked child has its parent's answers; they are not for it.
  if (KnownBy != ::getpid())
    Known->clear();
  KnownBy = ::getpid();
  std::string &Result = (*Known)[FileName];
  if (!Result.empty())
    return Result;

  SmallString<128> Path;
  if (const char *Directory = std::getenv("LUTHIER_OUTPUT")) {
    Path = Directory;
    (void)sys::fs::create_directories(Path);
  }
  sys::path::append(Path, FileName);
  Result = std::string(Path);
  const std::string Extension = sys::path::extension(FileName).str();
  // A process that becomes another program keeps its id.
  for (unsigned N = 1; !claim(Result); ++N) {
    SmallString<128> Other(Path);
    sys::path::replace_extension(Other, "." + Twine(::getpid()) +
                                            (N > 1 ? "-" + Twine(N) : "") +
                                            Extension);
    Result = std::string(Other);
  }
  return Result;
}

} // namespace luthier
