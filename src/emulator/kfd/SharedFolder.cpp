// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SharedFolder.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace luthier::emulator {

namespace fs = std::filesystem;

namespace {

constexpr const char *LockName = "in-use";
constexpr size_t LockBytes = 1; // What is mapped is a page.

/// Closes a descriptor. The lock on it goes with its last mapping.
class Descriptor {
public:
  explicit Descriptor(int Fd) : Fd(Fd) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (Fd >= 0)
      ::close(Fd);
  }
  operator int() const { return Fd; }

private:
  int Fd;
};

/// The name is known beforehand, so somebody else could have been there first.
bool isOwnFolder(const fs::path &Path) {
  struct stat Status;
  return ::lstat(Path.c_str(), &Status) == 0 && S_ISDIR(Status.st_mode) &&
         Status.st_uid == ::geteuid() && (Status.st_mode & 022) == 0;
}

bool lock(int Fd, int How) {
  while (::flock(Fd, How) != 0)
    if (errno != EINTR)
      return false;
  return true;
}

/// \p Fd is what has the name \p Path: the folder was not moved away before
/// the lock was got.
bool isStillAt(int Fd, const fs::path &Path) {
  struct stat Open, Named;
  return ::fstat(Fd, &Open) == 0 && ::lstat(Path.c_str(), &Named) == 0 &&
         Open.st_dev == Named.st_dev && Open.st_ino == Named.st_ino;
}

int openLock(const fs::path &Folder, int Flags = O_CREAT) {
  return ::open((Folder / LockName).c_str(),
                O_RDWR | Flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/// An empty folder with a name of its own that begins with \p Base.
fs::path makeFolder(const fs::path &Base) {
  std::string Name = Base.string() + ".XXXXXX";
  if (!::mkdtemp(Name.data()))
    throw fs::filesystem_error("no folder for temporary files", Base,
                               std::error_code(errno, std::generic_category()));
  return Name;
}

/// Without a lock, a folder is about to get one, or is being removed, or it is
/// of a version of Luthier that had none and may be in use.
bool isTooYoungToTell(const fs::path &Folder) {
  std::error_code Failure;
  const fs::file_time_type Written = fs::last_write_time(Folder, Failure);
  return Failure ||
         fs::file_time_type::clock::now() - Written < std::chrono::hours(24);
}

/// A lock that is missing is not made anew in a folder that is being removed.
int openLockOfOther(const fs::path &Folder) {
  const int Fd = openLock(Folder, /*Flags=*/0);
  return Fd < 0 && errno == ENOENT && !isTooYoungToTell(Folder)
             ? openLock(Folder)
             : Fd;
}

void removeUnused(const fs::path &Folder) {
  if (!isOwnFolder(Folder))
    return;
  // Held until all is gone: of two that remove one folder, each finds what the
  // other has removed missing and leaves the rest.
  Descriptor Lock(openLockOfOther(Folder));
  if (Lock < 0 || !lock(Lock, LOCK_EX | LOCK_NB) ||
      !isStillAt(Lock, Folder / LockName))
    return;
  // Nobody who waits for the lock finds it half empty.
  const fs::path Away = makeFolder(Folder);
  std::error_code Failure;
  fs::rename(Folder, Away, Failure);
  fs::remove_all(Away, Failure);
}

void removeOthers(const fs::path &Place, llvm::StringRef Prefix,
                  const fs::path &Own) {
  std::error_code Failure;
  for (fs::directory_iterator It(Place, Failure), End; !Failure && It != End;
       It.increment(Failure)) {
    const fs::path &Other = It->path();
    if (Other == Own ||
        !llvm::StringRef(Other.filename().native()).starts_with(Prefix))
      continue;
    try {
      removeUnused(Other);
    } catch (const fs::filesystem_error &) {
      // Another process tries again.
    }
  }
}

} // namespace

SharedFolder::SharedFolder(SharedFolder &&Other)
    : Folder(std::move(Other.Folder)),
      Lock(std::exchange(Other.Lock, nullptr)) {}

SharedFolder &SharedFolder::operator=(SharedFolder &&Other) {
  std::swap(Folder, Other.Folder);
  std::swap(Lock, Other.Lock);
  return *this;
}

SharedFolder::~SharedFolder() {
  if (Lock)
    ::munmap(Lock, LockBytes);
}

/// Nothing if the folder is not there or is being removed.
std::optional<SharedFolder> SharedFolder::use(const Path &Folder) {
  Descriptor Fd(openLock(Folder));
  if (Fd < 0 && errno == ENOENT)
    return std::nullopt;
  // Where there is no lock to be had, nobody gets one to remove the folder.
  const bool IsLocked = Fd >= 0 && lock(Fd, LOCK_SH);
  if (Fd >= 0 && !isStillAt(Fd, Folder / LockName))
    return std::nullopt;
  void *Mapped = IsLocked
                     ? ::mmap(nullptr, LockBytes, PROT_NONE, MAP_SHARED, Fd, 0)
                     : MAP_FAILED;
  return SharedFolder(Folder, Mapped == MAP_FAILED ? nullptr : Mapped);
}

SharedFolder SharedFolder::open(const Path &Place, llvm::StringRef Prefix,
                                llvm::StringRef Key, Writer Write) {
  const Path Shared = Place / (Prefix.str() + Key.str());
  SharedFolder Result;
  while (Result.path().empty()) {
    if (isOwnFolder(Shared)) {
      if (std::optional<SharedFolder> Used = use(Shared)) {
        Write(Shared);
        Result = std::move(*Used);
      }
      continue;
    }
    const Path New = makeFolder(Shared);
    std::optional<SharedFolder> Used = use(New);
    if (!Used)
      continue;
    Write(New);
    // Another process may have been faster. Where somebody else has the name,
    // this process uses its own folder.
    std::error_code Failure;
    fs::rename(New, Shared, Failure);
    if (Failure && isOwnFolder(Shared)) {
      fs::remove_all(New, Failure);
      continue;
    }
    if (!Failure)
      Used->Folder = Shared;
    Result = std::move(*Used);
  }
  removeOthers(Place, Prefix, Result.path());
  return Result;
}

} // namespace luthier::emulator
