// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ReplaceFile.h"
#include "pgo/Problem.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::pgo {
namespace {

Error cannotWrite(const std::string &Path, std::error_code Why,
                  const Twine &More = "") {
  return problem(ProblemKind::Failure,
                 "cannot write " + Path + ": " + Why.message() + More);
}

/// Where a link leads to.
std::string followed(const std::string &Path) {
  SmallString<128> Real;
  return sys::fs::real_path(Path, Real) ? Path : Real.str().str();
}

bool isReplaceable(const std::string &Path) {
  return !sys::fs::exists(Path) || sys::fs::is_regular_file(Path);
}

/// Creates a file beside \p Path whose name nobody has.
ErrorOr<std::string> createBeside(const std::string &Path) {
  for (unsigned N = 1; true; ++N) {
    std::string Name = Path + ".writing-" + std::to_string(N);
    const int File =
        ::open(Name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (File >= 0) {
      ::close(File);
      return Name;
    }
    if (errno != EEXIST)
      return std::error_code(errno, std::generic_category());
  }
}

} // namespace

Error replaceFile(const std::string &Path,
                  function_ref<Error(const std::string &)> Write) {
  if (!isReplaceable(Path))
    return Write(Path);
  const std::string To = followed(Path);
  const ErrorOr<std::string> New = createBeside(To);
  if (!New)
    return sys::fs::exists(To) ? Write(To) : cannotWrite(Path, New.getError());
  if (Error E = Write(*New)) {
    sys::fs::remove(*New);
    return E;
  }
  // What something is mounted on cannot be replaced, but can be written.
  if (sys::fs::rename(*New, To)) {
    if (std::error_code Wrong = sys::fs::copy_file(*New, To))
      return cannotWrite(Path, Wrong, "; it is in " + *New);
    sys::fs::remove(*New);
  }
  return Error::success();
}

Error checkWritable(const std::string &Path) {
  if (sys::fs::is_directory(Path))
    return cannotWrite(Path, std::make_error_code(std::errc::is_a_directory));
  if (!isReplaceable(Path))
    return Error::success();
  const std::string To = followed(Path);
  const ErrorOr<std::string> New = createBeside(To);
  if (New)
    sys::fs::remove(*New);
  else if (!sys::fs::can_write(To))
    return cannotWrite(Path, New.getError());
  return Error::success();
}

FolderLock::FolderLock(const std::string &Path) {
  const StringRef Parent = sys::path::parent_path(Path);
  Folder = ::open(Parent.empty() ? "." : Parent.str().c_str(),
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (Folder >= 0 && ::flock(Folder, LOCK_EX) && errno == EINTR)
    ;
}

FolderLock::~FolderLock() {
  if (Folder >= 0)
    ::close(Folder);
}

} // namespace luthier::pgo
