// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ComparedRun.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/RunProgram.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace luthier::cli {

static std::string asideOf(const std::string &File) {
  return File + ".luthier-before";
}

Expected<pgo::OutputFilter> outputFilter(const Arguments &Args) {
  pgo::OutputFilter Filter;
  for (const std::string &Text : Args.values("--ignore")) {
    Regex Ignored(Text);
    std::string Why;
    if (!Ignored.isValid(Why))
      return misused("--ignore " + Text + ": " + Why);
    Filter.IgnoredLines.push_back(std::move(Ignored));
  }
  return Filter;
}

static Error putAside(ArrayRef<std::string> Files) {
  for (const std::string &File : Files)
    if (sys::fs::exists(File))
      if (std::error_code Failure = sys::fs::rename(File, asideOf(File)))
        return failed("cannot put " + File +
                      " aside, which --compare names: " + Failure.message());
  return Error::success();
}

/// What was put aside, where nothing was written in its place.
static void takeBack(ArrayRef<std::string> Files) {
  for (const std::string &File : Files)
    if (!sys::fs::exists(File) && sys::fs::exists(asideOf(File)))
      sys::fs::rename(asideOf(File), File);
}

static std::optional<std::string> takeWritten(const std::string &File) {
  std::optional<std::string> Written = contentsOf(File);
  if (Written)
    sys::fs::remove(asideOf(File));
  else if (sys::fs::exists(asideOf(File)))
    sys::fs::rename(asideOf(File), File);
  return Written;
}

Expected<pgo::RunOutput> runToCompare(
    const Arguments &Args,
    function_ref<Expected<int>(const std::string &, std::string &)> Run) {
  const std::vector<std::string> Files = Args.values("--compare");
  if (Error E = putAside(Files)) {
    takeBack(Files);
    return std::move(E);
  }
  const std::string *Input = Args.value("--input");
  pgo::RunOutput Output;
  Expected<int> Code = [&]() -> Expected<int> {
    try {
      return Run(Input ? *Input : "/dev/null", Output.Printed);
    } catch (const RunError &E) { // Files are put back first.
      return failed(E.what());
    }
  }();
  for (const std::string &File : Files)
    Output.Files[File] = takeWritten(File);
  if (!Code)
    return Code.takeError();
  Output.ExitCode = *Code;
  return Output;
}

Error checkWritten(const pgo::RunOutput &Before, const pgo::RunOutput &After) {
  const std::string File = pgo::unwrittenFile(Before, After);
  return File.empty() ? Error::success()
                      : failed("--compare " + File +
                               ": neither build has written such a file");
}

} // namespace luthier::cli
