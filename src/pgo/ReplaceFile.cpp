// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ReplaceFile.h"
#include "pgo/Problem.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

Error cannotWrite(const std::string &Path, std::error_code Why) {
  return problem(ProblemKind::Failure,
                 "cannot write " + Path + ": " + Why.message());
}

/// Where a link leads to.
std::string followed(const std::string &Path) {
  SmallString<128> Real;
  return sys::fs::real_path(Path, Real) ? Path : Real.str().str();
}

bool isReplaceable(const std::string &Path) {
  return !sys::fs::exists(Path) || sys::fs::is_regular_file(Path);
}

} // namespace

Error replaceFile(const std::string &Path,
                  function_ref<Error(const std::string &)> Write) {
  if (!isReplaceable(Path))
    return Write(Path);
  const std::string To = followed(Path), New = To + ".new";
  if (Error E = Write(New)) {
    sys::fs::remove(New);
    return E;
  }
  if (std::error_code Wrong = sys::fs::rename(New, To)) {
    sys::fs::remove(New);
    return cannotWrite(Path, Wrong);
  }
  return Error::success();
}

Error checkWritable(const std::string &Path) {
  if (sys::fs::is_directory(Path))
    return cannotWrite(Path, std::make_error_code(std::errc::is_a_directory));
  if (!isReplaceable(Path))
    return Error::success();
  SmallString<128> Tried;
  int File;
  if (std::error_code Wrong =
          sys::fs::createUniqueFile(followed(Path) + ".%%%%%%%%", File, Tried))
    return cannotWrite(Path, Wrong);
  sys::Process::SafelyCloseFileDescriptor(File);
  sys::fs::remove(Tried);
  return Error::success();
}

} // namespace luthier::pgo
