// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Flags.h"
#include "pgo/Problem.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::pgo {

Expected<unsigned> askClangMajor(StringRef Path) {
  const auto Program = sys::findProgramByName(Path);
  if (!Program)
    return problem(ProblemKind::Compiler, "there is no program " + Path);
  SmallString<128> Said;
  if (std::error_code Failure =
          sys::fs::createTemporaryFile("luthier-pgo", "txt", Said))
    return problem(ProblemKind::Failure,
                   "no temporary file: " + Failure.message());
  const FileRemover Remover(Said);
  std::string Why;
  const int Code = sys::ExecuteAndWait(
      *Program, {*Program, "--version"}, std::nullopt,
      {StringRef(""), StringRef(Said), StringRef("")}, 0, 0, &Why);
  if (Code != 0)
    return problem(ProblemKind::Compiler,
                   Path + " --version fails" +
                       (Why.empty() ? Twine("") : ": " + Twine(Why)));
  const auto Text = MemoryBuffer::getFile(Said);
  if (!Text)
    return problem(ProblemKind::Failure, Text.getError().message());
  return clangMajor((*Text)->getBuffer(), Path,
                    std::getenv(AnyClangVariable) != nullptr);
}

} // namespace luthier::pgo
