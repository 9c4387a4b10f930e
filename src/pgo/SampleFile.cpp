// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampleFile.h"
#include "pgo/Problem.h"
#include "pgo/ReplaceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/ProfileData/SampleProfReader.h"
#include "llvm/ProfileData/SampleProfWriter.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier::pgo;

// The formats have no room for notes. So a target is the name of a function
// that no program has, without samples.
static constexpr StringLiteral TargetMark = "luthier.target.";

/// Samples refer to names and to readers, which have names of their own.
struct SampleProfile::Storage {
  BumpPtrAllocator Allocator;
  UniqueStringSaver Names{Allocator};
  LLVMContext Context;
  std::vector<std::unique_ptr<SampleProfileReader>> Readers;
  std::vector<std::unique_ptr<Storage>> Merged;
};

SampleProfile::SampleProfile(PlaceKind Kind)
    : Kind(Kind), Kept(std::make_unique<Storage>()) {}
SampleProfile::~SampleProfile() = default;
SampleProfile::SampleProfile(SampleProfile &&) = default;
SampleProfile &SampleProfile::operator=(SampleProfile &&) = default;

/// By default LLVM would print it and end the process.
static void keepMessage(const DiagnosticInfo *Info, void *To) {
  raw_string_ostream OS(*static_cast<std::string *>(To));
  DiagnosticPrinterRawOStream Printer(OS);
  Info->print(Printer);
}

Expected<SampleProfile> SampleProfile::read(const std::string &Path) {
  SampleProfile Result(PlaceKind::Lines);
  std::string Message;
  Result.Kept->Context.setDiagnosticHandlerCallBack(keepMessage, &Message);
  auto Reader = SampleProfileReader::create(Path, Result.Kept->Context,
                                            *vfs::getRealFileSystem());
  std::error_code Wrong = Reader.getError();
  if (!Wrong)
    Wrong = (*Reader)->read();
  Result.Kept->Context.setDiagnosticHandlerCallBack(nullptr);
  if (Wrong)
    return problem(
        Wrong == std::error_code(sampleprof_error::unsupported_version)
            ? ProblemKind::Version
            : ProblemKind::Malformed,
        Message.empty() ? Path + ": " + Wrong.message() : Message);
  if ((*Reader)->profileIsProbeBased())
    Result.Kind = PlaceKind::Probes;
  Result.Functions = std::move((*Reader)->getProfiles());
  Result.Kept->Readers.push_back(std::move(*Reader));
  return Result;
}

Error SampleProfile::write(const std::string &Path, bool IsText) const {
  return replaceFile(
      Path, [&](const std::string &New) { return writeTo(New, IsText); });
}

Error SampleProfile::writeTo(const std::string &Path, bool IsText) const {
  // LLVM's writers ask this variable for the kind.
  FunctionSamples::ProfileIsProbeBased = Kind == PlaceKind::Probes;
  auto Writer =
      SampleProfileWriter::create(Path, IsText ? SPF_Text : SPF_Ext_Binary);
  std::error_code Wrong = Writer.getError();
  if (!Wrong) {
    Wrong = (*Writer)->write(Functions);
    // LLVM's writers make no other stream; one with an error ends the process.
    auto &OS = static_cast<raw_fd_ostream &>((*Writer)->getOutputStream());
    OS.flush();
    if (!Wrong)
      Wrong = OS.error();
    OS.clear_error();
  }
  if (Wrong)
    return problem(ProblemKind::Failure,
                   "cannot write " + Path + ": " + Wrong.message());
  return Error::success();
}

FunctionId SampleProfile::name(StringRef Name) {
  return FunctionId(Kept->Names.save(Name));
}

FunctionSamples &SampleProfile::function(StringRef Name) {
  const FunctionId Id = name(Name);
  FunctionSamples &Samples = Functions.create(SampleContext(Id.stringRef()));
  Samples.setFunction(Id);
  return Samples;
}

const FunctionSamples *SampleProfile::find(StringRef Name) const {
  const auto Found = Functions.find(SampleContext(Name));
  return Found == Functions.end() ? nullptr : &Found->second;
}

FunctionSamples &SampleProfile::inlinee(FunctionSamples &Caller,
                                        LineLocation Place, StringRef Callee) {
  const FunctionId Id = name(Callee);
  FunctionSamples &Samples = Caller.functionSamplesAt(Place)[Id];
  Samples.setFunction(Id);
  return Samples;
}

void SampleProfile::finish() {
  std::vector<SampleContext> Unused;
  for (auto &[Key, Samples] : Functions) {
    Samples.updateTotalSamples();
    if (Samples.empty())
      Unused.push_back(Samples.getContext());
  }
  for (const SampleContext &Context : Unused)
    Functions.erase(Context);
}

/// Of the function, or of one that was inlined into it.
static bool isOfOtherSource(const FunctionSamples &Old,
                            const FunctionSamples &New) {
  if (Old.getFunctionHash() && Old.getFunctionHash() != New.getFunctionHash())
    return true;
  for (const auto &[Place, Inlined] : New.getCallsiteSamples())
    if (const auto *There = Old.findFunctionSamplesMapAt(Place))
      for (const auto &[Name, Samples] : Inlined)
        if (const auto Its = There->find(Name);
            Its != There->end() && isOfOtherSource(Its->second, Samples))
          return true;
  return false;
}

Error SampleProfile::merge(SampleProfile Other) {
  if (Other.Functions.empty())
    return Error::success();
  if (Functions.empty())
    Kind = Other.Kind;
  if (Kind != Other.Kind)
    return problem(ProblemKind::MixedBuild,
                   "one profile is by probes and the other by lines");
  for (const auto &[Key, Samples] : Other.Functions)
    if (const auto Its = Functions.find(Samples.getContext());
        Its != Functions.end() && isOfOtherSource(Its->second, Samples))
      return problem(ProblemKind::Stale,
                     "the profiles are of different source: " +
                         Samples.getFuncName());
  for (const auto &[Key, Samples] : Other.Functions)
    if (Functions.create(Samples.getContext()).merge(Samples) ==
        sampleprof_error::counter_overflow)
      Overflown.insert(Samples.getFuncName().str());
  Kept->Merged.push_back(std::move(Other.Kept));
  return Error::success();
}

void SampleProfile::addTarget(StringRef Target) {
  function((TargetMark + Target).str());
}

std::vector<std::string> SampleProfile::targets() const {
  std::vector<std::string> Targets;
  for (const auto &[Key, Samples] : Functions) {
    StringRef Name = Samples.getFuncName();
    if (Name.consume_front(TargetMark))
      Targets.push_back(Name.str());
  }
  llvm::sort(Targets);
  return Targets;
}

static bool dropInlined(FunctionSamples &From, StringRef Name) {
  std::vector<LineLocation> Places;
  for (const auto &[Place, Inlined] : From.getCallsiteSamples())
    Places.push_back(Place);
  bool IsDropped = false;
  for (const LineLocation &Place : Places) {
    FunctionSamplesMap &Inlined = From.functionSamplesAt(Place);
    for (auto Its = Inlined.begin(); Its != Inlined.end();) {
      const bool IsIt = Its->second.getFuncName() == Name;
      IsDropped |= IsIt || dropInlined(Its->second, Name);
      Its = IsIt ? Inlined.erase(Its) : std::next(Its);
    }
  }
  return IsDropped;
}

bool SampleProfile::drop(StringRef Name) {
  bool IsDropped = Functions.erase(SampleContext(Name)) != 0;
  for (auto &[Key, Samples] : Functions)
    if (dropInlined(Samples, Name)) {
      Samples.updateTotalSamples();
      IsDropped = true;
    }
  return IsDropped;
}

std::vector<std::string> SampleProfile::functionNames() const {
  std::vector<std::string> Names;
  for (const auto &[Key, Samples] : Functions)
    if (!Samples.getFuncName().starts_with(TargetMark))
      Names.push_back(Samples.getFuncName().str());
  llvm::sort(Names);
  return Names;
}
