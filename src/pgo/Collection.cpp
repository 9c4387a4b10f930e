// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Collection.h"
#include "pgo/Problem.h"
#include "pgo/ProfileSum.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <memory>

using namespace llvm;

namespace luthier::pgo {
namespace {

struct Part {
  ProfileSum Sum;
  WrittenProfile Written;
};
using Parts = std::map<std::string, std::unique_ptr<Part>>;

Error addFile(ProfileSum &Sum, StringRef Path) {
  auto Bytes = MemoryBuffer::getFile(Path);
  if (!Bytes)
    return problem(ProblemKind::Failure,
                   Path + ": " + Bytes.getError().message());
  return Sum.add((*Bytes)->getBuffer(), Path);
}

Expected<Parts> addUp(const Collected &Found) {
  Parts Result;
  for (const Collected::Profile &Profile : Found.Profiles) {
    std::unique_ptr<Part> &Its = Result[Profile.Target];
    if (!Its)
      Its = std::make_unique<Part>();
    if (Error E = addFile(Its->Sum, Profile.Path))
      return std::move(E);
    Its->Sum.addTarget(Profile.Target);
    Its->Written.Target = Profile.Target;
    ++Its->Written.NumLoads;
  }
  return Result;
}

Error nothingCounted(const Collected &Found) {
  std::string Why = "no code that counts was loaded; compile the program with "
                    "the flags that luthier pgo flags collect prints";
  for (const ProcessNote &Note : Found.Notes)
    if (const std::string Partial = Note.whyPartial(); !Partial.empty())
      return problem(Note.Ended.empty() ? ProblemKind::Partial
                                        : ProblemKind::NoCounters,
                     Partial);
  return problem(ProblemKind::NoCounters, Why);
}

void warn(const Part &From, Collection &Result) {
  for (const std::string &Function : From.Sum.overflown())
    Result.Warnings.push_back(toString(ProblemKind::Overflow).str() + ": " +
                              Function +
                              " has reached a counter's largest number");
  for (const std::string &Warning : From.Sum.warnings())
    Result.Warnings.push_back(Warning);
}

} // namespace

std::string withWord(StringRef Path, StringRef Word) {
  const StringRef Extension = sys::path::extension(Path);
  return (Path.drop_back(Extension.size()) + "." + Word + Extension).str();
}

Expected<Collection> writeCollection(const Collected &Found,
                                     const CollectionOptions &Options) {
  Collection Result;
  for (const ProcessNote &Note : Found.Notes)
    if (const std::string Why = Note.whyPartial(); !Why.empty()) {
      Result.IsPartial = true;
      Result.Warnings.push_back(toString(ProblemKind::Partial).str() + ": " +
                                Why);
    }
  auto ByTarget = addUp(Found);
  if (!ByTarget)
    return ByTarget.takeError();
  if (ByTarget->empty())
    return nothingCounted(Found);
  const bool GetsOtherName = Result.IsPartial && !Options.AcceptPartial;
  for (auto &[Target, Its] : *ByTarget) {
    std::string Path = Options.Output;
    if (ByTarget->size() > 1)
      Path = withWord(Path, Target);
    if (GetsOtherName)
      Path = withWord(Path, "partial");
    else if (Options.Add && sys::fs::exists(Path))
      if (Error E = addFile(Its->Sum, Path))
        return std::move(E);
    Its->Written.Path = std::move(Path);
  }
  for (auto &[Target, Its] : *ByTarget) {
    if (Error E = Its->Sum.write(Its->Written.Path))
      return std::move(E);
    warn(*Its, Result);
    Its->Written.NumFunctions = Its->Sum.numFunctions();
    Result.Profiles.push_back(Its->Written);
  }
  return Result;
}

} // namespace luthier::pgo
