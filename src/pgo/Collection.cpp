// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Collection.h"
#include "pgo/Problem.h"
#include "pgo/ProfileSum.h"
#include "pgo/ReplaceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <memory>
#include <set>

using namespace llvm;

namespace luthier::pgo {
namespace {

/// Of one target and route: counters, or samples.
struct Part {
  WrittenProfile Written;
  std::unique_ptr<ProfileSum> Counters;
  std::optional<SampleProfile> Samples;

  Error addFile(const std::string &Path);
  Error write(bool IsText);
  void warn(Collection &Result) const;
};
/// By target and route.
using Parts = std::map<std::pair<std::string, std::string>, Part>;

Expected<std::unique_ptr<MemoryBuffer>> open(const std::string &Path) {
  auto Bytes = MemoryBuffer::getFile(Path);
  if (!Bytes)
    return problem(ProblemKind::Failure,
                   Path + ": " + Bytes.getError().message());
  return std::move(*Bytes);
}

Error Part::addFile(const std::string &Path) {
  if (Samples) {
    Expected<SampleProfile> More = SampleProfile::read(Path);
    return More ? Samples->merge(std::move(*More)) : More.takeError();
  }
  auto Bytes = open(Path);
  return Bytes ? Counters->add((*Bytes)->getBuffer(), Path) : Bytes.takeError();
}

Error Part::write(bool IsText) {
  if (Samples) {
    Written.NumFunctions = Samples->functionNames().size();
    return Samples->write(Written.Path, IsText);
  }
  Written.NumFunctions = Counters->numFunctions();
  return Counters->write(Written.Path);
}

void Part::warn(Collection &Result) const {
  for (const std::string &Function :
       Counters ? Counters->overflown() : Samples->overflown())
    Result.Warnings.push_back(toString(ProblemKind::Overflow).str() + ": " +
                              Function +
                              " has reached a counter's largest number");
  if (Counters)
    append_range(Result.Warnings, Counters->warnings());
}

Part &partOf(Parts &All, const std::string &Target, StringRef Route) {
  Part &Its = All[{Target, Route.str()}];
  Its.Written.Target = Target;
  Its.Written.Route = Route;
  return Its;
}

Error addCounters(const Collected::Profile &Profile, Parts &To) {
  auto Bytes = open(Profile.Path);
  if (!Bytes)
    return Bytes.takeError();
  auto Route = routeOfCounters((*Bytes)->getBuffer(), Profile.Path);
  if (!Route)
    return Route.takeError();
  Part &Its = partOf(To, Profile.Target, *Route);
  if (!Its.Counters)
    Its.Counters = std::make_unique<ProfileSum>();
  ++Its.Written.NumLoads;
  Its.Counters->addTarget(Profile.Target);
  return Its.Counters->add((*Bytes)->getBuffer(), Profile.Path);
}

Expected<Parts> addUp(const Collected &Found,
                      decltype(SampledCode::Profiles) Sampled) {
  Parts Result;
  for (const Collected::Profile &Profile : Found.Profiles)
    if (Error E = addCounters(Profile, Result))
      return std::move(E);
  for (auto &[Of, Profile] : Sampled)
    partOf(Result, Of.first,
           Of.second == PlaceKind::Probes ? "probes" : "lines")
        .Samples.emplace(std::move(Profile));
  return Result;
}

/// Each with a path of its own.
void namePaths(Parts &All, const std::string &Output, bool IsPartial) {
  std::set<std::string> Targets, Routes;
  for (const auto &[Of, Its] : All) {
    Targets.insert(Of.first);
    Routes.insert(Of.second);
  }
  for (auto &[Of, Its] : All) {
    std::string &Path = Its.Written.Path;
    Path = Output;
    if (Targets.size() > 1)
      Path = withWord(Path, Of.first);
    if (Routes.size() > 1)
      Path = withWord(Path, Of.second);
    if (IsPartial)
      Path = withWord(Path, "partial");
  }
}

/// Why not all counts are there.
std::vector<std::string> lossesOf(const Collected &Found) {
  std::vector<std::string> Losses;
  for (const ProcessNote &Note : Found.Notes)
    if (std::string Why = Note.whyPartial(); !Why.empty())
      Losses.push_back(std::move(Why));
  append_range(Losses, Found.Uncounted);
  return Losses;
}

/// "a.new.profdata", or with the first number that no other run has taken.
std::string freePath(StringRef Path) {
  std::string Free = withWord(Path, "new");
  for (unsigned N = 2; sys::fs::exists(Free); ++N)
    Free = withWord(Path, "new-" + std::to_string(N));
  return Free;
}

/// What cannot be added to its profile gets another one: it took a run.
void addEarlier(Parts &All, Collection &Result) {
  for (auto &[Of, Its] : All) {
    std::string &Path = Its.Written.Path;
    if (!sys::fs::exists(Path))
      continue;
    if (Error E = Its.addFile(Path)) {
      Result.IsApart = true;
      Result.Warnings.push_back(toString(std::move(E)) +
                                "; what this run counted is not added to it");
      Path = freePath(Path);
    }
  }
}

Error nothingCounted(const Collected &Found, const SampledCode &Sampled) {
  if (!Sampled.Missing.empty())
    return problem(ProblemKind::NoMarks,
                   Sampled.Missing.front() +
                       "; luthier pgo flags collect says how to compile it");
  if (const auto Losses = lossesOf(Found); !Losses.empty())
    return problem(ProblemKind::Partial, Losses.front());
  return problem(ProblemKind::NoCounters,
                 "no code that counts was loaded, and none was executed whose "
                 "counts could become a profile; compile the program with the "
                 "flags that luthier pgo flags collect prints");
}

} // namespace

std::string withWord(StringRef Path, StringRef Word) {
  const StringRef Extension = sys::path::extension(Path);
  return (Path.drop_back(Extension.size()) + "." + Word + Extension).str();
}

Expected<Collection> writeCollection(const Collected &Found,
                                     SampledCode Sampled,
                                     const CollectionOptions &Options) {
  Collection Result;
  for (const std::string &Why : lossesOf(Found)) {
    Result.IsPartial = true;
    Result.Warnings.push_back(toString(ProblemKind::Partial).str() + ": " +
                              Why);
  }
  for (const std::string &What : Sampled.Missing)
    Result.Warnings.push_back(toString(ProblemKind::NoMarks).str() + ": " +
                              What);
  auto All = addUp(Found, std::move(Sampled.Profiles));
  if (!All)
    return All.takeError();
  if (All->empty())
    return nothingCounted(Found, Sampled);
  const bool GetsOtherName = Result.IsPartial && !Options.AcceptPartial;
  namePaths(*All, Options.Output, GetsOtherName);
  // Others may add to the same: as many as a job has ranks.
  std::optional<FolderLock> Lock;
  if (Options.Add) {
    Lock.emplace(Options.Output);
    addEarlier(*All, Result);
  }
  for (auto &[Of, Its] : *All) {
    if (Error E = Its.write(Options.IsText)) {
      Result.IsUnwritten = true;
      Result.Warnings.push_back(toString(std::move(E)));
      continue;
    }
    Its.warn(Result);
    Result.Profiles.push_back(Its.Written);
  }
  return Result;
}

} // namespace luthier::pgo
