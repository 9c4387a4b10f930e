// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampleLibraries.h"
#include "pgo/Problem.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

Error fileProblem(StringRef Path, std::error_code Why) {
  return problem(ProblemKind::Failure, Path + ": " + Why.message());
}

Error writeMarked(StringRef From, StringRef To) {
  auto File = MemoryBuffer::getFile(From);
  if (!File)
    return fileProblem(From, File.getError());
  LLVMContext Context;
  auto Module = parseBitcodeFile(**File, Context);
  if (!Module)
    return problem(ProblemKind::Failure,
                   From + ": " + toString(Module.takeError()));
  for (Function &F : **Module)
    if (!F.isDeclaration())
      F.addFnAttr("use-sample-profile");
  std::error_code Wrong;
  ToolOutputFile Out(To, Wrong, sys::fs::OF_None);
  if (Wrong)
    return fileProblem(To, Wrong);
  WriteBitcodeToFile(**Module, Out.os());
  Out.os().close();
  if ((Wrong = Out.os().error())) {
    Out.os().clear_error();
    return fileProblem(To, Wrong);
  }
  Out.keep();
  return Error::success();
}

} // namespace

Expected<size_t> makeSampleLibraries(StringRef From, StringRef To) {
  if (std::error_code Wrong = sys::fs::create_directories(To))
    return fileProblem(To, Wrong);
  size_t NumFiles = 0;
  std::error_code Wrong;
  for (sys::fs::directory_iterator It(From, Wrong), End; It != End && !Wrong;
       It.increment(Wrong)) {
    if (sys::path::extension(It->path()) != ".bc")
      continue;
    SmallString<128> Path = To;
    sys::path::append(Path, sys::path::filename(It->path()));
    if (Error E = writeMarked(It->path(), Path))
      return std::move(E);
    ++NumFiles;
  }
  if (Wrong)
    return fileProblem(From, Wrong);
  if (!NumFiles)
    return problem(ProblemKind::Failure,
                   From + " has no device libraries (*.bc)");
  return NumFiles;
}

std::string deviceLibrariesIn(StringRef Steps) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  cl::TokenizeGNUCommandLine(Steps, Saver, Words);
  for (size_t I = 0; I + 1 < Words.size(); ++I) {
    const StringRef Library = Words[I + 1];
    if (StringRef(Words[I]) == "-mlink-builtin-bitcode" &&
        sys::path::filename(Library) == "ocml.bc")
      return sys::path::parent_path(Library).str();
  }
  return "";
}

} // namespace luthier::pgo
