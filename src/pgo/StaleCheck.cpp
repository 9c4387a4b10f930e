// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/StaleCheck.h"
#include "pgo/CounterSections.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "pgo/RawRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/MD5.h"

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier;
using namespace luthier::pgo;

namespace {

Error addCounters(const CodeObject &Object, CodeFacts &To) {
  auto Sections = findCounterSections(Object.bytes());
  if (!Sections)
    return Sections.takeError();
  if (!*Sections)
    return Error::success();
  const ArrayRef<uint8_t> Bytes = (*Sections)->RecordBytes;
  for (size_t I = 0; I != Bytes.size() / sizeof(RawRecord); ++I) {
    const RawRecord Record = RawRecord::at(Bytes, I);
    To.Hashes[Record.NameRef].insert(Record.FuncHash);
  }
  return Error::success();
}

Error addProbes(const CodeObject &Object, CodeFacts &To) {
  if (!hasProbes(Object))
    return Error::success();
  auto Hashes = probeHashes(Object);
  if (!Hashes)
    return Hashes.takeError();
  for (const auto &[Function, Hash] : *Hashes)
    To.Hashes[Function].insert(Hash);
  return Error::success();
}

/// As if each instruction had been executed once.
CodeCounts onceEach(const CodeObject &Object) {
  constexpr uint64_t Dword = 4;
  CodeCounts Counts;
  const auto Add = [&](uint64_t Begin, uint64_t Size) {
    for (uint64_t At = Begin; At < Begin + Size; At += Dword)
      Counts[At] = {1, 1};
  };
  for (const KernelInfo &Kernel : Object.kernels())
    Add(Kernel.EntryAddress, Kernel.CodeSize);
  for (const FunctionInfo &Function : Object.functions())
    Add(Function.Address, Function.Size);
  return Counts;
}

Error addLines(const CodeObject &Object, CodeFacts &To) {
  if (!hasLines(Object))
    return Error::success();
  auto Lines = lineProfile(Object, onceEach(Object), Weight::Waves);
  if (!Lines)
    return Lines.takeError();
  for (const std::string &Name : Lines->Profile.functionNames())
    for (const auto &[Where, Record] :
         Lines->Profile.find(Name)->getBodySamples())
      To.Places[Name].insert({Where.LineOffset, Where.Discriminator});
  return Error::success();
}

} // namespace

Error luthier::pgo::addCodeFacts(const CodeObject &Object, ProfileKind Kind,
                                 CodeFacts &To) {
  To.Targets.insert(Object.target().Processor);
  switch (Kind) {
  case ProfileKind::Probes:
    return addProbes(Object, To);
  case ProfileKind::Lines:
    return addLines(Object, To);
  default:
    return addCounters(Object, To);
  }
}

StaleCheck luthier::pgo::compare(const ProfileFacts &Profile,
                                 const CodeFacts &Code) {
  StaleCheck Result;
  const auto Note = [&](const std::string &Name, bool IsSame) {
    ++Result.NumInBoth;
    if (!IsSame)
      Result.Changed.push_back(Name);
  };
  // What was executed on these may be of lines that have no code elsewhere.
  const bool IsOfOthers = any_of(Profile.Targets, [&](const auto &Target) {
    return !Code.Targets.count(Target);
  });
  for (const auto &[Name, Function] : Profile.Functions) {
    if (Profile.Kind == ProfileKind::Lines) {
      // Profiles of others do not have places that no run came to.
      const bool HasAll = !Profile.Targets.empty();
      if (const auto Found = Code.Places.find(Name); Found != Code.Places.end())
        Note(Name, (IsOfOthers || includes(Found->second, Function.Executed)) &&
                       (!HasAll || includes(Function.Places, Found->second)));
    } else if (const auto Found =
                   Code.Hashes.find(IndexedInstrProf::ComputeHash(Name));
               Found != Code.Hashes.end()) {
      Note(Name, all_of(Found->second, [&](uint64_t Hash) {
             return Function.Hashes.contains(Hash);
           }));
    }
  }
  return Result;
}
