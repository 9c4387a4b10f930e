// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CompileCommand.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
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
      .Cases({"-o", "--output", "-x", "--language"}, true)
      .Cases({"-I", "-D", "-U", "-L", "-l", "-B", "-F"}, true)
      .Cases({"-include", "-include-pch", "-imacros"}, true)
      .Cases({"-isystem", "-isystem-after", "-cxx-isystem"}, true)
      .Cases({"-stdlib++-isystem", "-iquote", "-idirafter"}, true)
      .Cases({"-iprefix", "-iwithprefix", "-iwithprefixbefore"}, true)
      .Cases({"-isysroot", "--sysroot", "-iwithsysroot"}, true)
      .Cases({"-ivfsoverlay", "-working-directory", "-resource-dir"}, true)
      .Cases({"-MF", "-MT", "-MQ", "-MJ", "-dumpdir"}, true)
      .Cases({"-serialize-diagnostics", "--serialize-diagnostics"}, true)
      .Cases({"-Xclang", "-Xlinker", "-Xpreprocessor", "-Xassembler"}, true)
      .Cases({"-Xanalyzer", "-Xcuda-ptxas", "-Xcuda-fatbinary"}, true)
      .Cases({"-mllvm", "-target", "-arch", "--param", "--config"}, true)
      .Cases({"-T", "-z", "-u", "-e", "-rpath"}, true)
      .StartsWith("-Xopenmp-target", true)
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

/// Of HIP, or of C++ for the host alone.
bool isPlainSource(StringRef Extension) {
  return StringSwitch<bool>(Extension)
      .Cases({".cpp", ".cc", ".cxx", ".C", ".c++", ".cu", ".c"}, true)
      .Default(false);
}

/// Of the flag at \p I if that is \p Name, joined or in the next word.
std::optional<StringRef> valueOf(ArrayRef<std::string> Words, size_t I,
                                 StringRef Name, StringRef LongName = "") {
  StringRef Word = Words[I];
  if (Word == Name || Word == LongName)
    return I + 1 < Words.size() ? std::optional<StringRef>(Words[I + 1])
                                : std::nullopt;
  if (Word.consume_front(Name) ||
      (!LongName.empty() && Word.consume_front(LongName) &&
       Word.consume_front("=")))
    return Word;
  return std::nullopt;
}

/// With the words that are in files, such as @words.
Expected<std::vector<std::string>> readFiles(ArrayRef<std::string> Words) {
  BumpPtrAllocator Memory;
  SmallVector<const char *> Result;
  for (const std::string &Word : Words)
    Result.push_back(Word.c_str());
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine);
  if (Error E = Context.expandResponseFiles(Result))
    return problem(ProblemKind::Failure, toString(std::move(E)));
  return std::vector<std::string>(Result.begin(), Result.end());
}

/// The language of each input is told by its name.
constexpr StringLiteral None = "none";

} // namespace

Expected<CompileCommand>
CompileCommand::read(ArrayRef<std::string> GivenWords) {
  CompileCommand Result;
  if (Error E = readFiles(GivenWords).moveInto(Result.Words))
    return std::move(E);
  const ArrayRef<std::string> Words = Result.Words;
  while (Result.Compiler != Words.size() && isLauncher(Words[Result.Compiler]))
    ++Result.Compiler;
  if (Result.Compiler == Words.size())
    return problem(ProblemKind::Failure, "no command to compile with is given");
  StringRef Language = None;
  std::vector<StringRef> Languages;
  for (size_t I = Result.Compiler + 1; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    Result.readDependencies(I);
    if (const auto Name = valueOf(Words, I, "-o", "--output")) {
      Result.Output = Name->str();
      Result.OutputWords = {I};
      if (takesNextWord(Word))
        Result.OutputWords.push_back(I + 1);
    } else if (Word.consume_front("--offload-arch=")) {
      SmallVector<StringRef> Names;
      Word.split(Names, ',');
      for (StringRef Name : Names)
        if (Name.starts_with("gfx"))
          Result.Targets.push_back(Name.str());
    } else if (const auto Name = valueOf(Words, I, "-x", "--language")) {
      Language = *Name;
    } else if (Word == "-fgpu-rdc" || Word == "-fno-gpu-rdc") {
      Result.LinksUnits = Word == "-fgpu-rdc";
    } else if (stopsBefore(Word)) {
      Result.Links = false;
    } else if (!Word.starts_with("-")) {
      Result.Inputs.push_back(I);
      Languages.push_back(Language);
    }
    if (takesNextWord(Words[I]))
      ++I;
  }
  Result.findSources(Languages);
  return Result;
}

void CompileCommand::readDependencies(size_t I) {
  StringRef Word = Words[I];
  SmallVector<StringRef> Parts; // Of -Wp,-MD,FILE.
  if (Word.consume_front("-Wp,"))
    Word.split(Parts, ',');
  else
    Parts = {Word};
  if (StringSwitch<bool>(Parts.front())
          .Cases({"-MD", "-MMD"}, true)
          .Cases({"--write-dependencies", "--write-user-dependencies"}, true)
          .Default(false)) {
    WritesDependencies = true;
    NamesDependencyFile |= Parts.size() > 1;
  }
  NamesDependencyFile |= valueOf(Words, I, "-MF").has_value();
  NamesDependent |= valueOf(Words, I, "-MT") || valueOf(Words, I, "-MQ");
}

void CompileCommand::findSources(ArrayRef<StringRef> Languages) {
  std::vector<size_t> Possible;
  for (const auto &[Input, Language] : zip_equal(Inputs, Languages)) {
    const StringRef Extension = sys::path::extension(Words[Input]);
    const bool IsPlain = isPlainSource(Extension);
    if (Language == None
            ? Extension == ".hip" || (IsPlain && isHipcc())
            : Language == "hip" && (Extension == ".hip" || IsPlain))
      Sources.push_back(Input);
    else if (Language == None && IsPlain)
      Possible.push_back(Input);
    else
      HasHostSource |= Language != None && Language != "hip";
  }
  HasHostSource |= !Possible.empty();
  // A configuration file may say that it is HIP. If it does not, to compile for
  // devices fails.
  if (Sources.empty() && (!Targets.empty() || hasConfiguration()))
    Sources = std::move(Possible);
}

bool CompileCommand::isHipcc() const {
  return sys::path::stem(compiler()) == "hipcc";
}

bool CompileCommand::hasConfiguration() const {
  return any_of(Words, [](StringRef Word) {
    return Word == "--config" || Word.starts_with("--config=");
  });
}

bool CompileCommand::isSource(size_t Input) const {
  return is_contained(Sources, Input);
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
  append_range(Result, dependencyFlags());
  append_range(Result, std::vector<std::string>{"-o", Other.str()});
  return Result;
}

std::vector<std::string> CompileCommand::deviceOnly(size_t Input,
                                                    ArrayRef<std::string> Flags,
                                                    StringRef Other) const {
  // Objects and libraries of the host are of no use to the device's compiler.
  std::vector<size_t> Others = Inputs;
  erase(Others, Input);
  std::vector<std::string> Result = withoutOutput(Others);
  append_range(Result, Flags);
  append_range(Result, std::vector<std::string>{"--offload-device-only",
                                                "--gpu-bundle-output", "-o",
                                                Other.str()});
  return Result;
}

std::vector<std::string> CompileCommand::dependencyFlags() const {
  std::vector<std::string> Result;
  if (!WritesDependencies || Output.empty())
    return Result;
  if (!NamesDependent)
    append_range(Result, std::vector<std::string>{"-MQ", Output});
  if (!NamesDependencyFile) {
    SmallString<128> File = StringRef(Output);
    sys::path::replace_extension(File, "d");
    append_range(Result, std::vector<std::string>{"-MF", File.str().str()});
  }
  return Result;
}

std::vector<std::string>
CompileCommand::withoutOutput(ArrayRef<size_t> WithoutInputs) const {
  std::vector<std::string> Result;
  for (const auto &[I, Word] : enumerate(Words))
    if (!is_contained(OutputWords, I) && !is_contained(WithoutInputs, I))
      Result.push_back(Word);
  return Result;
}

} // namespace luthier::pgo
