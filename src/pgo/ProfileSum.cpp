// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ProfileSum.h"
#include "pgo/Problem.h"
#include "pgo/ReplaceFile.h"
#include "llvm/Object/BuildID.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace llvm;

namespace luthier::pgo {
namespace {

/// Stands before a target among the ids of binaries that a profile has.
constexpr StringLiteral TargetMark = "luthier:";
// The indexed format keeps ids; nothing else of it is free for notes.

/// What makes profiles alike enough to be added. The second round of LLVM's IR
/// is used together with the first.
InstrProfKind essential(InstrProfKind Kind) {
  return Kind &
         (InstrProfKind::FrontendInstrumentation |
          InstrProfKind::IRInstrumentation | InstrProfKind::SingleByteCoverage |
          InstrProfKind::FunctionEntryOnly);
}

bool isAtLimit(const InstrProfRecord &Record) {
  return is_contained(Record.Counts, getInstrMaxCountValue());
}

} // namespace

Error explainProfileError(Error E, StringRef Name) {
  ProblemKind Kind = ProblemKind::Malformed;
  std::string Detail;
  handleAllErrors(
      std::move(E),
      [&](const InstrProfError &Failure) {
        Detail = Failure.message();
        if (Failure.get() == instrprof_error::unsupported_version ||
            Failure.get() == instrprof_error::raw_profile_version_mismatch)
          Kind = ProblemKind::Version;
      },
      [&](const ErrorInfoBase &Other) { Detail = Other.message(); });
  return problem(Kind, Name + ": " + Detail);
}

std::string nameOf(InstrProfKind Kind) {
  if (bool(Kind & InstrProfKind::ContextSensitive))
    return "LLVM's IR, second round";
  return bool(Kind & InstrProfKind::IRInstrumentation) ? "LLVM's IR"
                                                       : "clang's front end";
}

Expected<StringRef> routeOfCounters(StringRef Bytes, StringRef Name) {
  auto Reader = InstrProfReader::create(MemoryBuffer::getMemBufferCopy(Bytes));
  if (!Reader)
    return explainProfileError(Reader.takeError(), Name);
  return bool((*Reader)->getProfileKind() & InstrProfKind::IRInstrumentation)
             ? "ir"
             : "counters";
}

Error ProfileSum::add(StringRef Bytes, StringRef Name) {
  auto Reader = InstrProfReader::create(MemoryBuffer::getMemBufferCopy(Bytes));
  if (!Reader)
    return explainProfileError(Reader.takeError(), Name);
  const InstrProfKind Its = (*Reader)->getProfileKind();
  if (Kind && essential(*Kind) != essential(Its))
    return problem(ProblemKind::MixedBuild,
                   Name + " counts by " + nameOf(Its) + ", others by " +
                       nameOf(*Kind) +
                       "; compile all code with the flags of one route");
  std::vector<NamedInstrProfRecord> Records;
  for (NamedInstrProfRecord &Record : **Reader)
    Records.push_back(std::move(Record));
  if ((*Reader)->hasError())
    return explainProfileError((*Reader)->getError(), Name);
  std::vector<object::BuildID> Ids;
  if (Error E = (*Reader)->readBinaryIds(Ids))
    return explainProfileError(std::move(E), Name);

  Kind = Kind ? *Kind | Its : Its;
  if (Error E = Writer.mergeProfileKind(Its))
    return explainProfileError(std::move(E), Name);
  Writer.addBinaryIds(Ids);
  for (NamedInstrProfRecord &Record : Records) {
    const std::string Function = Record.Name.str();
    if (isAtLimit(Record))
      Overflown.insert(Function);
    Functions.insert({Function, Record.Hash});
    Writer.addRecord(std::move(Record), 1, [&](Error E) {
      auto [What, Message] = InstrProfError::take(std::move(E));
      if (What == instrprof_error::counter_overflow)
        Overflown.insert(Function);
      else
        Warnings.push_back(Function + ": " + InstrProfError(What).message());
    });
  }
  return Error::success();
}

Error ProfileSum::write(StringRef Path) {
  std::vector<object::BuildID> Ids;
  for (const std::string &Target : Targets) {
    const std::string Text = TargetMark.str() + Target;
    Ids.emplace_back(Text.begin(), Text.end());
  }
  Writer.addBinaryIds(Ids);
  return replaceFile(Path.str(),
                     [&](const std::string &New) { return writeTo(New); });
}

Error ProfileSum::writeTo(const std::string &Path) {
  std::error_code Failure;
  raw_fd_ostream OS(Path, Failure);
  if (Failure)
    return problem(ProblemKind::Failure, Path + ": " + Failure.message());
  if (Error E = Writer.write(OS))
    return explainProfileError(std::move(E), Path);
  OS.close();
  if (OS.has_error()) {
    Failure = OS.error();
    OS.clear_error();
    return problem(ProblemKind::Failure, Path + ": " + Failure.message());
  }
  return Error::success();
}

Expected<std::vector<std::string>> targetsOf(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return problem(ProblemKind::Failure,
                   Path + ": " + Buffer.getError().message());
  auto Reader = InstrProfReader::create(std::move(*Buffer));
  if (!Reader)
    return explainProfileError(Reader.takeError(), Path);
  std::vector<object::BuildID> Ids;
  if (Error E = (*Reader)->readBinaryIds(Ids))
    return explainProfileError(std::move(E), Path);
  std::set<std::string> Targets;
  for (const object::BuildID &Id : Ids) {
    StringRef Text(reinterpret_cast<const char *>(Id.data()), Id.size());
    if (Text.consume_front(TargetMark))
      Targets.insert(Text.str());
  }
  return std::vector<std::string>(Targets.begin(), Targets.end());
}

} // namespace luthier::pgo
