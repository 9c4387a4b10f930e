// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/CacheFolder.h"
#include "cache/EntryFormat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::cache {
namespace {

constexpr StringLiteral UnfinishedPrefix = ".unfinished-";
/// No process takes that long to write a file.
constexpr int64_t UnfinishedSeconds = 3600;
constexpr off_t MostBytes = 64 << 20;
constexpr uint64_t DefaultMebibytes = 256;

/// Why what \p Status is about is not to be trusted; empty if it is.
std::string whyNotOwn(const struct stat &Status, mode_t Kind,
                      StringRef KindName) {
  if ((Status.st_mode & S_IFMT) != Kind)
    return ("is no " + KindName).str();
  if (Status.st_uid != ::geteuid())
    return "belongs to another user";
  if (Status.st_mode & (S_IWGRP | S_IWOTH))
    return "may be written by other users";
  return "";
}

bool writeAll(int File, ArrayRef<uint8_t> Bytes) {
  while (!Bytes.empty()) {
    const ssize_t Written =
        sys::RetryAfterSignal(-1, ::write, File, Bytes.data(), Bytes.size());
    if (Written < 0)
      return false;
    Bytes = Bytes.drop_front(Written);
  }
  return true;
}

std::optional<std::vector<uint8_t>> readAll(int File, size_t Size) {
  std::vector<uint8_t> Bytes(Size);
  for (size_t Done = 0; Done < Size;) {
    const ssize_t Read = sys::RetryAfterSignal(
        -1, ::read, File, Bytes.data() + Done, Size - Done);
    if (Read <= 0)
      return std::nullopt;
    Done += Read;
  }
  return Bytes;
}

/// Random: containers that share the folder have the same process ids.
std::string uniqueName() {
  uint8_t Random[16];
  if (::getrandom(Random, sizeof(Random), 0) != sizeof(Random))
    return UnfinishedPrefix.str() + utostr(::getpid());
  return UnfinishedPrefix.str() + toHex(Random, /*LowerCase=*/true);
}

} // namespace

std::string defaultFolder() {
  const char *Cache = ::secure_getenv("XDG_CACHE_HOME");
  if (Cache && *Cache == '/')
    return std::string(Cache) + "/luthier/code";
  const char *Home = ::secure_getenv("HOME");
  return Home && *Home == '/' ? std::string(Home) + "/.cache/luthier/code" : "";
}

std::optional<uint64_t> limitOf(const char *Mebibytes) {
  uint64_t Number = DefaultMebibytes;
  constexpr uint64_t Most = uint64_t(1) << 40;
  if (Mebibytes &&
      (StringRef(Mebibytes).getAsInteger(10, Number) || Number > Most))
    return std::nullopt;
  return Number << 20;
}

std::optional<CacheFolder> CacheFolder::open(const std::string &Path,
                                             std::string &Why) {
  const int Handle = sys::RetryAfterSignal(-1, [&] {
    return ::open(Path.c_str(),
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  });
  struct stat Status;
  if (Handle < 0) {
    const int Failure = errno;
    if (::lstat(Path.c_str(), &Status) == 0 && S_ISLNK(Status.st_mode))
      Why = Path + " is a symbolic link";
    else if (Failure != ENOENT && Failure != ENOTDIR)
      Why = Path + ": " + sys::StrError(Failure);
    return std::nullopt;
  }
  CacheFolder Folder(Handle);
  if (::fstat(Handle, &Status) != 0)
    Why = Path + ": " + sys::StrError();
  else if (std::string Problem = whyNotOwn(Status, S_IFDIR, "folder");
           !Problem.empty())
    Why = Path + " " + Problem;
  return Why.empty() ? std::optional(std::move(Folder)) : std::nullopt;
}

std::optional<CacheFolder> CacheFolder::create(const std::string &Path,
                                               std::string &Why) {
  if (std::error_code Failure = sys::fs::create_directories(
          Path, /*IgnoreExisting=*/true, sys::fs::owner_all)) {
    Why = Path + ": " + Failure.message();
    return std::nullopt;
  }
  return open(Path, Why);
}

CacheFolder::~CacheFolder() {
  if (Handle >= 0)
    ::close(Handle);
}

std::optional<std::vector<uint8_t>>
CacheFolder::read(const std::string &Name, std::string &Why, bool Marks) const {
  // Not to wait for whoever may write to a pipe of that name.
  const int File =
      sys::RetryAfterSignal(-1, ::openat, Handle, Name.c_str(),
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (File < 0) {
    if (errno != ENOENT)
      Why = Name + ": " + sys::StrError();
    return std::nullopt;
  }
  const scope_exit Close([&] { ::close(File); });
  struct stat Status;
  if (::fstat(File, &Status) != 0)
    return std::nullopt;
  if (std::string Problem = whyNotOwn(Status, S_IFREG, "file");
      !Problem.empty()) {
    Why = Name + " " + Problem;
    return std::nullopt;
  }
  if (Status.st_size > MostBytes)
    return std::nullopt;
  auto Bytes = readAll(File, Status.st_size);
  if (Marks)
    ::futimens(File, nullptr);
  return Bytes;
}

bool CacheFolder::write(const std::string &Name, ArrayRef<uint8_t> Bytes,
                        std::string &Why) const {
  const std::string Unfinished = uniqueName();
  const int File = ::openat(
      Handle, Unfinished.c_str(),
      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  // Nothing is forced to the disk: after a crash, what is not there, or is no
  // longer as it was written, is compiled anew.
  bool IsWritten = File >= 0 && writeAll(File, Bytes);
  if (File >= 0 && ::close(File) != 0)
    IsWritten = false;
  // Or somebody clears the folder, and was quicker.
  if (IsWritten &&
      (::renameat(Handle, Unfinished.c_str(), Handle, Name.c_str()) == 0 ||
       errno == ENOENT))
    return true;
  Why = Name + ": " + sys::StrError();
  if (File >= 0)
    ::unlinkat(Handle, Unfinished.c_str(), 0);
  return false;
}

bool CacheFolder::remove(const std::string &Name) const {
  return ::unlinkat(Handle, Name.c_str(), 0) == 0;
}

std::vector<CacheFolder::File> CacheFolder::list(bool Everything) const {
  std::vector<File> Files;
  // A position of its own, which closedir() ends.
  const int Own = ::openat(Handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *Folder = Own >= 0 ? ::fdopendir(Own) : nullptr;
  if (!Folder) {
    if (Own >= 0)
      ::close(Own);
    return Files;
  }
  timespec Now;
  ::clock_gettime(CLOCK_REALTIME, &Now);
  while (const dirent *Entry = ::readdir(Folder)) {
    const std::string Name = Entry->d_name;
    struct stat Status;
    if (::fstatat(Handle, Name.c_str(), &Status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (StringRef(Name).starts_with(UnfinishedPrefix)) {
      if (Everything || Now.tv_sec - Status.st_mtim.tv_sec > UnfinishedSeconds)
        remove(Name);
    } else if (keyOf(Name)) {
      Files.push_back({Name, uint64_t(Status.st_size),
                       int64_t(Status.st_mtim.tv_sec) * 1'000'000'000 +
                           Status.st_mtim.tv_nsec});
    }
  }
  ::closedir(Folder);
  return Files;
}

} // namespace luthier::cache
