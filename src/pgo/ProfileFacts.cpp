// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ProfileFacts.h"
#include "pgo/Problem.h"
#include "pgo/ProfileSum.h"
#include "pgo/SampleFile.h"
#include "llvm/ProfileData/InstrProfReader.h"

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier::pgo;

namespace {

ProfileKind kindOf(InstrProfKind Kind) {
  if (bool(Kind & InstrProfKind::ContextSensitive))
    return ProfileKind::SecondRound;
  return bool(Kind & InstrProfKind::IRInstrumentation) ? ProfileKind::IR
                                                       : ProfileKind::FrontEnd;
}

Expected<ProfileFacts> countersFacts(const std::string &Path,
                                     std::unique_ptr<MemoryBuffer> File) {
  Expected<std::vector<std::string>> Targets = targetsOf(Path);
  if (!Targets)
    return Targets.takeError();
  auto Reader = IndexedInstrProfReader::create(std::move(File));
  if (!Reader)
    return explainProfileError(Reader.takeError(), Path);
  ProfileFacts Result;
  Result.Kind = kindOf((*Reader)->getProfileKind());
  Result.Targets = std::move(*Targets);
  bool HasFirstRound = false;
  for (const NamedInstrProfRecord &Record : **Reader) {
    Result.Functions[Record.Name.str()].Hashes.insert(Record.Hash);
    HasFirstRound |= !NamedInstrProfRecord::hasCSFlagInHash(Record.Hash);
  }
  if ((*Reader)->hasError())
    return explainProfileError((*Reader)->getError(), Path);
  if (Result.Kind == ProfileKind::SecondRound && !HasFirstRound &&
      !Result.Functions.empty())
    return problem(ProblemKind::MixedBuild,
                   Path + " has the second round alone; luthier pgo collect "
                          "--add puts it into the profile of the first");
  return Result;
}

SourcePlace placeOf(const LineLocation &Where) {
  return {Where.LineOffset, Where.Discriminator};
}

Expected<ProfileFacts> samplesFacts(const std::string &Path) {
  Expected<SampleProfile> Profile = SampleProfile::read(Path);
  if (!Profile)
    return Profile.takeError();
  ProfileFacts Result;
  Result.Kind = Profile->kind() == PlaceKind::Probes ? ProfileKind::Probes
                                                     : ProfileKind::Lines;
  Result.Targets = Profile->targets();
  for (const std::string &Name : Profile->functionNames())
    Result.Functions[Name].add(*Profile->find(Name), Result.Kind);
  return Result;
}

} // namespace

void FunctionFacts::add(const FunctionSamples &Samples, ProfileKind Kind) {
  if (Kind == ProfileKind::Probes)
    Hashes.insert(Samples.getFunctionHash());
  else
    for (const auto &[Where, Record] : Samples.getBodySamples()) {
      Places.insert(placeOf(Where));
      if (Record.getSamples())
        Executed.insert(placeOf(Where));
    }
  for (const auto &[Where, Callees] : Samples.getCallsiteSamples())
    for (const auto &[Name, Callee] : Callees)
      Inlined[{placeOf(Where), Callee.getFuncName().str()}].add(Callee, Kind);
}

StringRef luthier::pgo::routeOf(ProfileKind Kind) {
  switch (Kind) {
  case ProfileKind::FrontEnd:
    return "counters";
  case ProfileKind::IR:
    return "ir";
  case ProfileKind::SecondRound:
    return "cs";
  case ProfileKind::Probes:
    return "probes";
  case ProfileKind::Lines:
    return "lines";
  }
  llvm_unreachable("unknown kind of profile");
}

Expected<ProfileFacts> luthier::pgo::readProfileFacts(const std::string &Path) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    return problem(ProblemKind::Failure,
                   Path + ": " + File.getError().message());
  if (IndexedInstrProfReader::hasFormat(**File))
    return countersFacts(Path, std::move(*File));
  return samplesFacts(Path);
}

Expected<const Route *> luthier::pgo::routeToUse(const ProfileFacts &Facts,
                                                 StringRef Path,
                                                 StringRef Wanted,
                                                 unsigned ClangMajor) {
  auto Its = findRoute(routeOf(Facts.Kind), ClangMajor);
  if (!Its || Wanted.empty())
    return Its;
  auto Other = findRoute(Wanted, ClangMajor);
  if (!Other)
    return Other.takeError();
  // Some routes are used alike.
  if ((*Other)->Use.data() != (*Its)->Use.data())
    return problem(ProblemKind::MixedBuild, Path + " is of route " +
                                                (*Its)->Name + ", not of " +
                                                Wanted);
  return Its;
}
