// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/SourceCompiler.h"
#include "amdgpu/TargetTraits.h"
#include "codeobject/TargetID.h"
#include "luthier/detail/ProcessEnds.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/ModuleImages.h"
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

using namespace llvm;

namespace luthier::runtime {
namespace {

using Strings = std::vector<std::string>;

/// A folder of its own for the files of one compilation.
class WorkFolder {
public:
  WorkFolder() { Failure = sys::fs::createUniqueDirectory("luthier", Path); }
  ~WorkFolder() {
    if (!Failure)
      sys::fs::remove_directories(Path);
  }
  std::error_code failure() const { return Failure; }
  std::string file(const Twine &Name) const {
    return (Path + "/" + Name).str();
  }

private:
  SmallString<64> Path;
  std::error_code Failure;
};

/// Neither the emulated GPU nor Luthier itself is for the compiler.
Strings environment(const Strings &More) {
  Strings Result = More;
  for (const char *Name : {"PATH", "HOME", "TMPDIR"})
    if (const char *Value = std::getenv(Name))
      Result.push_back(std::string(Name) + "=" + Value);
  Result.push_back("LC_ALL=C");
  Result.push_back(LUTHIER_STARTS_PROGRAM);
  return Result;
}

std::vector<char *> pointers(Strings &Texts) {
  std::vector<char *> Result;
  for (std::string &Text : Texts)
    Result.push_back(Text.data());
  Result.push_back(nullptr);
  return Result;
}

/// Runs \p Command with its output in file \p Log. False if it says that it has
/// failed. Without fork(), whose handlers are the application's.
Expected<bool> run(Strings Command, const Strings &MoreEnvironment,
                   const std::string &Log) {
  posix_spawn_file_actions_t Files;
  ::posix_spawn_file_actions_init(&Files);
  ::posix_spawn_file_actions_addopen(&Files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&Files, 1, Log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&Files, 1, 2);
  posix_spawnattr_t Attributes;
  ::posix_spawnattr_init(&Attributes);
  sigset_t None, All;
  ::sigemptyset(&None);
  ::sigfillset(&All);
  ::posix_spawnattr_setsigmask(&Attributes, &None);
  ::posix_spawnattr_setsigdefault(&Attributes, &All);
  ::posix_spawnattr_setflags(&Attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  Strings Environment = environment(MoreEnvironment);
  pid_t Child = 0;
  const int Failure =
      ::posix_spawn(&Child, Command.front().c_str(), &Files, &Attributes,
                    pointers(Command).data(), pointers(Environment).data());
  ::posix_spawnattr_destroy(&Attributes);
  ::posix_spawn_file_actions_destroy(&Files);
  if (Failure)
    return moduleError(ModuleFault::NoCompiler,
                       "the compiler " + Command.front() +
                           " cannot be started: " + std::strerror(Failure) +
                           " (LUTHIER_CLANGXX names another)");
  int Status = 0;
  pid_t Ended;
  while ((Ended = ::waitpid(Child, &Status, 0)) < 0 && errno == EINTR)
    ;
  // The application may wait for all children itself; then the output tells.
  return Ended < 0 || (WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
}

std::string compiler() {
  const char *Other = std::getenv("LUTHIER_CLANGXX");
  return Other && *Other ? Other : LUTHIER_CLANGXX;
}

/// Options for tools, which clang reads itself. Beside this library, in the
/// build and where Luthier is installed.
std::string optionsFile() {
  static const char InThisLibrary = 0;
  SmallString<128> Path(libraryOf(&InThisLibrary).Path);
  sys::path::remove_filename(Path);
  sys::path::append(Path, "luthier", "hook-compiler.cfg");
  return std::string(Path);
}

Expected<Strings> targetsOf(const ModuleSource &How) {
  Strings Result = How.Targets;
  if (Result.empty() && isHsaOpen())
    for (hsa_agent_t Agent : gpuAgents()) {
      Expected<std::string> Isa = isaName(Agent);
      if (!Isa)
        return Isa.takeError();
      auto Target = TargetID::parse(*Isa);
      if (!Target)
        return Target.takeError();
      if (!is_contained(Result, Target->Processor))
        Result.push_back(Target->Processor);
    }
  if (Result.empty())
    return moduleError(ModuleFault::NoCompiler,
                       How.Name + " cannot be compiled: there are no devices, "
                                  "and no targets are named");
  return Result;
}

class Compilation {
public:
  Compilation(StringRef Source, const ModuleSource &How)
      : Source(Source), How(How) {}
  Expected<std::vector<uint8_t>> run();

private:
  Error write(const std::string &To, bool WithName) const;
  Strings command(ArrayRef<std::string> Targets) const;
  Error runOrSay(Strings Command, const Strings &Environment,
                 const std::string &Output);
  Expected<std::string> messages(Strings Command,
                                 const Strings &Environment) const;

  const StringRef Source;
  const ModuleSource &How;
  WorkFolder Folder;
  const std::string File = Folder.file("source.hip"), Log = Folder.file("log");
};

/// Lines and names in messages are the author's.
Error Compilation::write(const std::string &To, bool WithName) const {
  std::error_code Failure = Folder.failure();
  if (!Failure) {
    raw_fd_ostream OS(To, Failure);
    if (!Failure) {
      if (WithName) {
        OS << "#line 1 \"";
        printEscapedString(How.Name, OS);
        OS << "\"\n";
      }
      OS << Source << '\n';
      OS.close();
      Failure = OS.error();
      OS.clear_error();
    }
  }
  if (!Failure)
    return Error::success();
  return moduleError(
      ModuleFault::NoCompiler,
      How.Name + " cannot be compiled: no file for it: " + Failure.message());
}

Strings Compilation::command(ArrayRef<std::string> Targets) const {
  Strings Result = {compiler(), "--config=" + optionsFile()};
  for (const std::string &Target : Targets)
    Result.push_back("--offload-arch=" + Target);
  append_range(Result, How.Flags);
  BLAKE3 Hash;
  Hash.update(How.Name);
  Hash.update(Source);
  const auto Digest = Hash.final<8>();
  append_range(Result, Strings{"-cuid=" + toHex(Digest, /*LowerCase=*/true),
                               "-fno-color-diagnostics", "-include",
                               "luthier/detail/ModulePrelude.h",
                               "--offload-device-only", "-c", File});
  return Result;
}

std::string textOf(const std::string &File) {
  auto Text = MemoryBuffer::getFile(File);
  return Text ? (*Text)->getBuffer().rtrim().str() : std::string();
}

/// What the compiler has said of \p Command. Of what it finds behind its
/// parser, such as the mistakes that Luthier's plugin knows, it looks for the
/// line in a file of the name that the source has, and there is none: then it
/// compiles once more what has the name of its own file.
Expected<std::string> Compilation::messages(Strings Command,
                                            const Strings &Environment) const {
  std::string Text = textOf(Log);
  if (!StringRef(Text).contains("could not determine the original source"))
    return Text;
  const std::string Named = Folder.file("named.hip"),
                    Again = Folder.file("named.log");
  if (Error E = write(Named, /*WithName=*/false))
    return std::move(E);
  std::replace(Command.begin(), Command.end(), File, Named);
  // What it makes has other names in its debug information.
  Command.back() = Folder.file("named.out");
  Expected<bool> Fine = runtime::run(std::move(Command), Environment, Again);
  if (!Fine)
    return Fine.takeError();
  Text = textOf(Again);
  for (size_t At = 0; (At = Text.find(Named, At)) != std::string::npos;
       At += How.Name.size())
    Text.replace(At, Named.size(), How.Name);
  return Text;
}

Error Compilation::runOrSay(Strings Command, const Strings &Environment,
                            const std::string &Output) {
  sys::fs::remove(Log);
  Command.insert(Command.end(), {"-o", Output});
  Expected<bool> Fine = runtime::run(Command, Environment, Log);
  if (!Fine)
    return Fine.takeError();
  Expected<std::string> Said = messages(std::move(Command), Environment);
  if (!Said)
    return Said.takeError();
  if (!*Fine || !sys::fs::exists(Output))
    return moduleError(ModuleFault::DoesNotCompile,
                       How.Name + " does not compile:\n" + *Said);
  if (!Said->empty())
    logWarning(How.Name + " compiles with warnings:\n" + *Said);
  return Error::success();
}

Expected<std::vector<uint8_t>> Compilation::run() {
  Expected<Strings> Targets = targetsOf(How);
  if (!Targets)
    return Targets.takeError();
  if (!sys::fs::exists(optionsFile()))
    return moduleError(ModuleFault::NoCompiler,
                       How.Name + " cannot be compiled: there is no " +
                           optionsFile());
  if (Error E = write(File, /*WithName=*/true))
    return std::move(E);
  Strings Environment;
  // As luthier_add_tool() has it: the plugin adds these to the others.
  for (const std::string &Target : *Targets) {
    auto ID = TargetID::parse(Target);
    if (!ID)
      return ID.takeError();
    const RegisterFileTraits *Traits = registerFileTraits(ID->Processor);
    if (!Traits || Traits->WaveSize == 64) // Without a choice.
      continue;
    const std::string Base = Folder.file("hooks");
    Strings Command = command(Target);
    Command.insert(Command.end(), {"-mwavefrontsize64", "-DLUTHIER_WAVES_OF_64",
                                   "--no-gpu-bundle-output", "-emit-llvm"});
    if (Error E = runOrSay(std::move(Command), {},
                           Base + "." + ID->Processor + ".wave64.bc"))
      return std::move(E);
    Environment = {"LUTHIER_WAVE64_HOOKS=" + Base};
  }
  const std::string Output = Folder.file("hooks.bundle");
  Strings Command = command(*Targets);
  Command.push_back("--gpu-bundle-output");
  if (Error E = runOrSay(std::move(Command), Environment, Output))
    return std::move(E);
  auto Made = MemoryBuffer::getFile(Output, false, false);
  if (!Made)
    return moduleError(ModuleFault::DoesNotCompile,
                       How.Name + ": " + Made.getError().message());
  return arrayRefFromStringRef<uint8_t>((*Made)->getBuffer()).vec();
}

} // namespace

Expected<std::vector<uint8_t>> compileSource(StringRef Source,
                                             const ModuleSource &How) {
  return Compilation(Source, How).run();
}

} // namespace luthier::runtime
