// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ProfileUse.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/RunProgram.h"
#include "luthier/Refusal.h"
#include "pgo/DropFunctions.h"
#include "pgo/Flags.h"
#include "pgo/Problem.h"
#include "pgo/SampleLibraries.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

using pgo::problem;
using pgo::ProblemKind;

StringRef processorOf(StringRef Target) { return Target.split(':').first; }

bool isSampled(pgo::ProfileKind Kind) {
  return Kind == pgo::ProfileKind::Probes || Kind == pgo::ProfileKind::Lines;
}

} // namespace

static std::string installed(const Twine &Name) {
  std::string Path =
      (programPrefix(/*BelowLibexec=*/true) + "/lib/luthier/" + Name).str();
  return sys::fs::exists(Path) ? Path : "";
}

std::string sampleLibraries() { return installed("device-libs-samples"); }

std::string valueHeader() { return installed("pgo/ProfiledValues.h"); }

std::string linkedCounters() { return installed("pgo/LinkedCounters.rsp"); }

Expected<std::vector<std::string>> ProfileUse::findFlags() {
  UsedProfile = Profile;
  if (Command.isForHostAlone())
    return problem(ProblemKind::NoDeviceCode,
                   "this command compiles for the host alone; HIP source has "
                   "the suffix .hip, or -x hip before it");
  auto Major = pgo::askClangMajor(Command.compiler());
  if (!Major)
    return Major.takeError();
  auto Its = pgo::readProfileFacts(Profile);
  if (!Its)
    return Its.takeError();
  Facts = std::move(*Its);
  auto Found = pgo::routeToUse(Facts, Profile, Route, *Major);
  if (!Found)
    return Found.takeError();
  if (Error E = checkTarget())
    return std::move(E);
  if (IsChecked && !Facts.Functions.empty())
    if (Error E = checkSource(**Found))
      return std::move(E);
  if (isSampled(Facts.Kind) && SampleLibraries.empty())
    if (Error E = findSampleLibraries())
      return std::move(E);
  auto Flags =
      pgo::expand(flagsOf(**Found, pgo::Build::Use, Command.linksUnits()),
                  {UsedProfile, SampleLibraries, valueHeader()});
  if (Flags)
    limitToTargets(*Flags);
  return Flags;
}

Error ProfileUse::checkTarget() {
  if (IsOneOfSeveral && (isSampled(Facts.Kind) || Facts.Targets.empty() ||
                         Command.targets().empty()))
    return problem(
        ProblemKind::Target,
        Profile +
            (isSampled(Facts.Kind)
                 ? ": clang gives a profile of samples to all targets, so "
                   "there "
                   "can be no other; compile each target by itself"
                 : ": which target it is for is not known, beside others; "
                   "--offload-arch has to name it"));
  if (Facts.Targets.empty() || Command.targets().empty())
    return Error::success();
  for (const std::string &Target : Command.targets())
    if (is_contained(Facts.Targets, processorOf(Target)))
      OnlyTargets.push_back(Target);
  if (OnlyTargets.empty())
    return problem(ProblemKind::Target, Profile + " is of " +
                                            join(Facts.Targets, ", ") +
                                            ", and this code is for " +
                                            join(Command.targets(), ", "));
  if (OnlyTargets.size() == Command.targets().size() && !IsOneOfSeveral)
    OnlyTargets.clear();
  else if (isSampled(Facts.Kind))
    errs() << "luthier pgo: " << Profile << " is of "
           << join(Facts.Targets, ", ")
           << "; clang takes it for the other targets, too\n";
  return Error::success();
}

/// Those of another ROCm would be another version's.
Error ProfileUse::findSampleLibraries() {
  SampleLibraries = sampleLibraries();
  for (size_t Input : Command.inputs()) {
    if (!Command.isSource(Input))
      continue;
    const std::string Steps = Folder + "/steps";
    const int Ended =
        runWith(Command.deviceOnly(Input, {"-###"}, Folder + "/code"),
                {"/dev/null", "/dev/null", Steps});
    if (Ended == Interrupted)
      return failedBy(Ended, "the compiler was interrupted");
    const std::string Own =
        pgo::deviceLibrariesIn(contentsOf(Steps).value_or(""));
    if (Own.empty())
      continue;
    SampleLibraries = Folder + "/device-libraries";
    return pgo::makeSampleLibraries(Own, SampleLibraries).takeError();
  }
  return Error::success();
}

/// False if the compiler cannot do it; then the user's own command says why.
Expected<bool> ProfileUse::addFacts(const pgo::Route &Its, size_t Input,
                                    pgo::CodeFacts &To) const {
  auto Flags =
      pgo::expand(Its.Collect, {Profile, SampleLibraries, valueHeader()});
  if (!Flags)
    return Flags.takeError();
  const std::string Code = Folder + "/code";
  const int Ended = runWith(Command.deviceOnly(Input, *Flags, Code),
                            {"/dev/null", "/dev/null", "/dev/null"});
  if (Ended == Interrupted)
    return failedBy(Ended, "the compiler was interrupted");
  if (Ended)
    return false;
  auto File = InspectedFile::open(Code, nullptr);
  if (!File) {
    consumeError(File.takeError()); // Such as bitcode, with -fgpu-rdc.
    return false;
  }
  if (Error E = forEachCodeObject(*File, [&](auto Object) {
        return Facts.Targets.empty() ||
                       is_contained(Facts.Targets, Object->target().Processor)
                   ? pgo::addCodeFacts(*Object, Facts.Kind, To)
                   : Error::success();
      }))
    return std::move(E);
  return true;
}

Error ProfileUse::checkSource(const pgo::Route &Its) {
  pgo::CodeFacts Code;
  bool HasSource = false;
  for (size_t Input : Command.inputs()) {
    if (!Command.isSource(Input))
      continue;
    HasSource = true;
    auto IsKnown = addFacts(Its, Input, Code);
    if (!IsKnown)
      return IsKnown.takeError();
    if (!*IsKnown) {
      errs() << "luthier pgo: whether " << Command.words()[Input]
             << " has changed since is not known: its device code alone cannot "
                "be compiled and read\n";
      return Error::success();
    }
  }
  // Objects alone are linked, and their code is what it is.
  return HasSource ? refuseParts(pgo::compare(Facts, Code)) : Error::success();
}

Error ProfileUse::refuseParts(const pgo::StaleCheck &Check) {
  if (!Check.NumInBoth) {
    const std::string Why =
        "none of the functions of " + Profile + " is in this code";
    if (Command.links())
      return problem(ProblemKind::Stale, Why);
    errs() << "luthier pgo: " << Why << '\n';
    return Error::success();
  }
  for (const std::string &Name : Check.Changed)
    errs() << "luthier pgo: " << toString(ProblemKind::Stale) << ": "
           << readableName(Name) << " has changed since " << Profile
           << " was collected\n";
  if (!Check.NumSame)
    return problem(ProblemKind::Stale,
                   Profile + " is of other source than this");
  IsWhole = Check.Changed.empty();
  // Clang would notice neither by lines nor what was inlined by probes.
  if (!isSampled(Facts.Kind) || IsWhole)
    return Error::success();
  UsedProfile = Folder + "/profile";
  if (std::error_code Failure = sys::fs::copy_file(Profile, UsedProfile))
    return problem(ProblemKind::Failure,
                   UsedProfile + ": " + Failure.message());
  return pgo::dropFunctions(UsedProfile, Check.Changed).takeError();
}

/// Other targets are compiled as without a profile.
void ProfileUse::limitToTargets(std::vector<std::string> &Flags) const {
  if (OnlyTargets.empty() || isSampled(Facts.Kind))
    return;
  std::vector<std::string> Limited;
  for (size_t I = 0; I != Flags.size(); ++I) {
    if (Flags[I] != "-Xarch_device" || I + 1 == Flags.size() ||
        !StringRef(Flags[I + 1]).ends_with("=" + UsedProfile)) {
      Limited.push_back(Flags[I]);
      continue;
    }
    ++I;
    for (const std::string &Target : OnlyTargets) {
      Limited.push_back("-Xarch_" + Target);
      Limited.push_back(Flags[I]);
    }
  }
  Flags = std::move(Limited);
}

} // namespace luthier::cli
