// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/FileCommand.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {

int runParsed(int Argc, char **Argv, const ParsedCommand &Command,
              function_ref<Expected<int>(const Arguments &)> Work) {
  std::vector<OptionSpec> Options = Command.Options;
  Options.insert(Options.end(), {{"--help"}, {"-h"}});
  const auto Args = Arguments::parse(Argc, Argv, Options);
  if (!Args)
    return Misuse;
  if (Args->has("--help") || Args->has("-h")) {
    outs() << Command.Help;
    return Success;
  }
  Expected<int> Code = Work(*Args);
  return Code ? *Code : reportError(Code.takeError());
}

int runFileCommand(
    int Argc, char **Argv, const FileCommand &Command,
    function_ref<Expected<int>(const Arguments &, const std::string &)> Work) {
  auto WithFile = [&](const Arguments &Args) -> Expected<int> {
    const std::string *Path = Args.single("file");
    if (!Path)
      return Misuse;
    for (const auto &[Option, Where] : Command.Required)
      if (!Args.has(Option))
        return misused("no " + std::string(Option) + " given; " +
                       (Where.empty()
                            ? "see luthier " + std::string(Argv[0]) + " --help"
                            : std::string(Where)));
    return Work(Args, *Path);
  };
  return runParsed(Argc, Argv, {Command.Help, Command.Options}, WithFile);
}

Error writeFile(const std::string &Path, ArrayRef<uint8_t> Bytes) {
  std::error_code Wrong;
  raw_fd_ostream OS(Path, Wrong);
  if (!Wrong) {
    OS.write(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
    OS.close();
    Wrong = OS.error();
    OS.clear_error();
  }
  if (Wrong)
    return failed("cannot write " + Path + ": " + Wrong.message());
  return Error::success();
}

Error putInPlace(const std::string &Made, const std::string &To) {
  const auto Failure = [&](Error E) {
    return failed("cannot write " + To + ": " + toString(std::move(E)));
  };
  auto Permissions = sys::fs::getPermissions(Made);
  if (!Permissions)
    return Failure(errorCodeToError(Permissions.getError()));
  auto New = sys::fs::TempFile::create(To + ".%%%%%%", *Permissions);
  if (!New)
    return Failure(New.takeError());
  if (std::error_code Wrong = sys::fs::copy_file(Made, New->FD))
    return Failure(joinErrors(errorCodeToError(Wrong), New->discard()));
  if (Error E = New->keep(To))
    return Failure(std::move(E));
  return Error::success();
}

/// In quotes, LLVM's reader takes backslashes for escapes, which shells do not.
static std::string quotedWord(StringRef Text) {
  constexpr StringLiteral Plain = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_=./:,+@%";
  if (!Text.empty() && Text.find_first_not_of(Plain) == StringRef::npos)
    return Text.str();
  if (Text.find_first_of("'\\") == StringRef::npos)
    return ("'" + Text + "'").str();
  std::string Result;
  for (const char C : Text) {
    if (!Plain.contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

std::string quoted(ArrayRef<std::string> Words) {
  return join(map_range(Words, quotedWord), " ");
}

Error failed(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

Error misused(const Twine &What) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           What);
}

Error failedBy(int Code, const Twine &What) {
  return Code == Interrupted
             ? createStringError(std::make_error_code(std::errc::interrupted),
                                 What)
             : failed(What);
}

/// \p E is as before.
static bool isOf(std::errc Kind, Error &E) {
  bool Result = false;
  E = handleErrors(std::move(E),
                   [&](std::unique_ptr<StringError> Text) -> Error {
                     Result |= Text->convertToErrorCode() == Kind;
                     return Error(std::move(Text));
                   });
  return Result;
}

bool isInterruption(Error &E) { return isOf(std::errc::interrupted, E); }

int reportError(Error E) {
  const int Code = isOf(std::errc::invalid_argument, E) ? Misuse
                   : isInterruption(E)                  ? Interrupted
                                                        : Failed;
  errs() << "luthier: error: " << detailOf(std::move(E)) << '\n';
  return Code;
}

} // namespace luthier::cli
