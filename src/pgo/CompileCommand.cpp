// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CompileCommand.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

bool isLauncher(StringRef Word) {
  return StringSwitch<bool>(sys::path::filename(Word))
      .Cases({"ccache", "sccache", "distcc", "icecc"}, true)
      .Default(false);
}

/// Flags of clang's whose value is the next word, and may look like a file.
bool takesNextWord(StringRef Word) {
  return StringSwitch<bool>(Word)
      .Cases({"-o", "-x", "-I", "-D", "-U", "-L", "-l"}, true)
      .Cases({"-include", "-isystem", "-iquote", "-idirafter"}, true)
      .Cases({"-MF", "-MT", "-MQ", "-MJ"}, true)
      .Cases({"-Xclang", "-Xlinker", "-Xpreprocessor", "-Xassembler"}, true)
      .Cases({"-mllvm", "-target", "-arch", "-T", "-z", "-u", "-F"}, true)
      .Cases({"-isysroot", "--sysroot", "-resource-dir", "--config"}, true)
      .StartsWith("-Xarch_", true)
      .StartsWith("-Xoffload-", true)
      .Default(false);
}

/// Does not end in a program.
bool stopsBefore(StringRef Word) {
  return StringSwitch<bool>(Word)
      .Cases({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}, true)
      .Cases({"-emit-llvm", "-emit-ast", "--precompile"}, true)
      .Cases({"--compile", "--assemble", "--preprocess"}, true)
      .Default(false);
}

} // namespace

Expected<CompileCommand> CompileCommand::read(ArrayRef<std::string> Words) {
  CompileCommand Result;
  Result.Words = Words;
  while (Result.Compiler != Words.size() && isLauncher(Words[Result.Compiler]))
    ++Result.Compiler;
  if (Result.Compiler == Words.size())
    return problem(ProblemKind::Failure, "no command to compile with is given");
  for (size_t I = Result.Compiler + 1; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (Word == "-o" && I + 1 < Words.size()) {
      Result.OutputWords = {I, I + 1};
      Result.Output = Words[I + 1];
    } else if (Word.starts_with("-o") && Word.size() > 2) {
      Result.OutputWords = {I};
      Result.Output = Word.drop_front(2);
    } else if (Word.consume_front("--offload-arch=")) {
      SmallVector<StringRef> Names;
      Word.split(Names, ',');
      for (StringRef Name : Names)
        if (Name.starts_with("gfx"))
          Result.Targets.push_back(Name.str());
    } else if (Word == "-x" && I + 1 < Words.size()) {
      Result.AllIsHip = Words[I + 1] == "hip";
    } else if (stopsBefore(Word)) {
      Result.Links = false;
    } else if (!Word.starts_with("-")) {
      Result.Inputs.push_back(I);
    }
    if (takesNextWord(Words[I]))
      ++I;
  }
  return Result;
}

bool CompileCommand::isSource(size_t Input) const {
  return StringSwitch<bool>(sys::path::extension(Words[Input]))
      .Case(".hip", true)
      .Cases({".cpp", ".cc", ".cxx", ".C", ".c++", ".cu", ".c"}, AllIsHip)
      .Default(false);
}

std::vector<std::string>
CompileCommand::with(ArrayRef<std::string> Flags) const {
  std::vector<std::string> Result = Words;
  append_range(Result, Flags);
  return Result;
}

std::vector<std::string> CompileCommand::with(ArrayRef<std::string> Flags,
                                              StringRef Other) const {
  std::vector<std::string> Result = withoutOutput();
  append_range(Result, Flags);
  append_range(Result, std::vector<std::string>{"-o", Other.str()});
  return Result;
}

std::vector<std::string> CompileCommand::deviceOnly(size_t Input,
                                                    ArrayRef<std::string> Flags,
                                                    StringRef Other) const {
  // Objects and libraries of the host are of no use to the device's compiler.
  std::vector<std::string> Result;
  for (const auto &[I, Word] : enumerate(Words)) {
    const bool IsOtherInput = I != Input && is_contained(Inputs, I);
    if (!IsOtherInput && !is_contained(OutputWords, I))
      Result.push_back(Word);
  }
  append_range(Result, Flags);
  append_range(Result, std::vector<std::string>{"--offload-device-only",
                                                "--gpu-bundle-output", "-o",
                                                Other.str()});
  return Result;
}

std::vector<std::string> CompileCommand::withoutOutput() const {
  std::vector<std::string> Result;
  for (const auto &[I, Word] : enumerate(Words))
    if (!is_contained(OutputWords, I))
      Result.push_back(Word);
  return Result;
}

} // namespace luthier::pgo
