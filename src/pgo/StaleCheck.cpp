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
    To.Lines[Name].add(*Lines->Profile.find(Name), ProfileKind::Lines);
  return Error::success();
}

/// Of a profile's functions with those of code.
class Comparison {
public:
  Comparison(const ProfileFacts &Profile, const CodeFacts &Code)
      : Profile(Profile), Code(Code),
        // Profiles of others do not have places that no run came to.
        HasAll(!Profile.Targets.empty()),
        // What was executed on these may be of lines without code elsewhere.
        IsOfOthers(any_of(Profile.Targets, [&](const std::string &Target) {
          return !Code.Targets.count(Target);
        })) {}
  StaleCheck run();

private:
  bool areLines() const { return Profile.Kind == ProfileKind::Lines; }
  const std::set<uint64_t> *hashesOf(StringRef Name) const;
  bool hasSameLines(const FunctionFacts &Function,
                    const FunctionFacts &InCode) const;
  void checkInlined(const FunctionFacts &Function, const FunctionFacts &InCode);
  void checkLines(StringRef Name, const FunctionFacts &Function,
                  const FunctionFacts &InCode);
  void checkHashes(StringRef Name, const FunctionFacts &Function);

  const ProfileFacts &Profile;
  const CodeFacts &Code;
  const bool HasAll, IsOfOthers;
  std::set<std::string> Changed;
};

/// Null if the code has no such function.
const std::set<uint64_t> *Comparison::hashesOf(StringRef Name) const {
  const auto Found = Code.Hashes.find(IndexedInstrProf::ComputeHash(Name));
  return Found == Code.Hashes.end() ? nullptr : &Found->second;
}

bool Comparison::hasSameLines(const FunctionFacts &Function,
                              const FunctionFacts &InCode) const {
  return (IsOfOthers || includes(InCode.Places, Function.Executed)) &&
         (!HasAll || includes(Function.Places, InCode.Places));
}

/// Where the caller is the same, so is what is inlined into it and where,
/// unless that has changed.
void Comparison::checkInlined(const FunctionFacts &Function,
                              const FunctionFacts &InCode) {
  const FunctionFacts None;
  const auto In = [&](const auto &Inlined, const auto &Where) -> auto & {
    const auto Found = Inlined.find(Where);
    return Found == Inlined.end() ? None : Found->second;
  };
  for (const auto &[Where, Callee] : Function.Inlined)
    if (areLines())
      checkLines(Where.second, Callee, In(InCode.Inlined, Where));
    else
      checkHashes(Where.second, Callee);
  for (const auto &[Where, Callee] : InCode.Inlined)
    if (!Function.Inlined.count(Where))
      checkLines(Where.second, None, Callee);
}

void Comparison::checkLines(StringRef Name, const FunctionFacts &Function,
                            const FunctionFacts &InCode) {
  if (hasSameLines(Function, InCode))
    checkInlined(Function, InCode);
  else
    Changed.insert(Name.str());
}

/// Of what is inlined. Other code, which nothing is known of, may have another
/// version of it.
void Comparison::checkHashes(StringRef Name, const FunctionFacts &Function) {
  const std::set<uint64_t> *InCode = hashesOf(Name);
  if (!InCode || Function.Hashes.count(0) || // Others' profiles may have none.
      includes(*InCode, Function.Hashes))
    checkInlined(Function, {});
  else
    Changed.insert(Name.str());
}

StaleCheck Comparison::run() {
  StaleCheck Result;
  const auto Note = [&](const std::string &Name, const FunctionFacts &Function,
                        const FunctionFacts &InCode, bool IsSame) {
    ++Result.NumInBoth;
    Result.NumSame += IsSame;
    if (IsSame)
      checkInlined(Function, InCode);
    else
      Changed.insert(Name);
  };
  for (const auto &[Name, Function] : Profile.Functions)
    if (areLines()) {
      if (const auto Found = Code.Lines.find(Name); Found != Code.Lines.end())
        Note(Name, Function, Found->second,
             hasSameLines(Function, Found->second));
    } else if (const std::set<uint64_t> *InCode = hashesOf(Name)) {
      Note(Name, Function, {}, includes(Function.Hashes, *InCode));
    }
  Result.Changed.assign(Changed.begin(), Changed.end());
  return Result;
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
  return Comparison(Profile, Code).run();
}
