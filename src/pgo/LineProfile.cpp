// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/LineProfile.h"
#include "pgo/Problem.h"
#include "pgo/SourceFrames.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier;
using namespace luthier::pgo;

namespace {

uint64_t numberOf(const ExecutionCount &Count, Weight By) {
  return By == Weight::Waves ? Count.Waves : Count.Lanes;
}

class Builder {
public:
  Builder(const SourceFrames &Source, const CodeCounts &Counts, Weight By)
      : Source(Source), Counts(Counts), By(By) {}

  void addTable(const DWARFDebugLine::LineTable &Table);
  void addCalls(const CallTargets &Calls, const CodeObject &Object);
  LineProfile finish(const CodeObject &Object);

private:
  void addRange(uint64_t Begin, uint64_t End);
  /// False if the source of the instruction is unknown.
  bool add(uint64_t Address, uint64_t Executions);
  FunctionSamples *samplesOf(const DIInliningInfo &Info);

  const SourceFrames &Source;
  const CodeCounts &Counts;
  Weight By;
  LineProfile Result;
  std::map<std::pair<FunctionSamples *, LineLocation>, uint64_t> Most;
};

LineLocation placeOf(const DILineInfo &Frame) {
  return {
      (Frame.Line - Frame.StartLine) & 0xffff,
      DILocation::getBaseDiscriminatorFromDiscriminator(Frame.Discriminator)};
}

/// The samples of the function that an instruction comes from, where it was
/// inlined. Null if the source of it, or of a call around it, is unknown.
FunctionSamples *Builder::samplesOf(const DIInliningInfo &Info) {
  const unsigned Count = Info.getNumberOfFrames();
  for (unsigned I = 0; I != Count; ++I)
    if (!Info.getFrame(I).Line || !Info.getFrame(I).StartLine)
      return nullptr;
  if (!Count)
    return nullptr;
  SampleProfile &Profile = Result.Profile;
  FunctionSamples *Samples =
      &Profile.function(Info.getFrame(Count - 1).FunctionName);
  for (unsigned I = Count - 1; I != 0; --I)
    Samples = &Profile.inlinee(*Samples, placeOf(Info.getFrame(I)),
                               Info.getFrame(I - 1).FunctionName);
  return Samples;
}

bool Builder::add(uint64_t Address, uint64_t Executions) {
  const DIInliningInfo Info = Source.at(Address);
  FunctionSamples *Samples = samplesOf(Info);
  if (!Samples)
    return false;
  const DILineInfo &Leaf = Info.getFrame(0);
  uint64_t &Known = Most[{Samples, placeOf(Leaf)}];
  // Of a line that unrolling has copied, each copy has its share.
  Known = std::max(Known, Executions *
                              DILocation::getDuplicationFactorFromDiscriminator(
                                  Leaf.Discriminator));
  return true;
}

void Builder::addCalls(const CallTargets &Calls, const CodeObject &Object) {
  for (const auto &[Address, Targets] : Calls) {
    const DIInliningInfo Info = Source.at(Address);
    FunctionSamples *Samples = samplesOf(Info);
    if (!Samples)
      continue;
    const LineLocation Place = placeOf(Info.getFrame(0));
    for (const auto &[Target, Count] : Targets)
      if (const FunctionInfo *Function = Object.findFunction(Target))
        Samples->addCalledTargetSamples(Place.LineOffset, Place.Discriminator,
                                        Result.Profile.name(Function->Name),
                                        numberOf(Count, By));
  }
}

/// Of one row. It counts if it was not executed, too: as zero.
void Builder::addRange(uint64_t Begin, uint64_t End) {
  uint64_t Highest = 0, Sum = 0;
  for (auto It = Counts.lower_bound(Begin);
       It != Counts.end() && It->first < End; ++It) {
    Highest = std::max(Highest, numberOf(It->second, By));
    Sum += numberOf(It->second, By);
  }
  if (add(Begin, Highest))
    Result.Attributed += Sum;
}

void Builder::addTable(const DWARFDebugLine::LineTable &Table) {
  for (const DWARFDebugLine::Sequence &Sequence : Table.Sequences)
    for (unsigned I = Sequence.FirstRowIndex; I + 1 < Sequence.LastRowIndex;
         ++I) {
      const uint64_t Begin = Table.Rows[I].Address.Address;
      const uint64_t End = Table.Rows[I + 1].Address.Address;
      // Of several rows for one address the last counts.
      if (Begin < End)
        addRange(Begin, End);
    }
}

LineProfile Builder::finish(const CodeObject &Object) {
  for (const auto &[Where, Executions] : Most)
    Where.first->addBodySamples(Where.second.LineOffset,
                                Where.second.Discriminator, Executions);
  auto AddHead = [&](StringRef Name, uint64_t Address) {
    const auto Found = Counts.find(Address);
    if (Found != Counts.end() && Result.Profile.find(Name))
      Result.Profile.function(Name).addHeadSamples(numberOf(Found->second, By));
  };
  for (const KernelInfo &Kernel : Object.kernels())
    AddHead(Kernel.Name, Kernel.EntryAddress);
  for (const FunctionInfo &Function : Object.functions())
    AddHead(Function.Name, Function.Address);
  for (const auto &[Address, Count] : Counts)
    Result.Executed += numberOf(Count, By);
  Result.Profile.finish();
  return std::move(Result);
}

} // namespace

bool pgo::hasLines(const CodeObject &Object) {
  return Object.section(".debug_line") && Object.section(".debug_info");
}

Expected<LineProfile> pgo::lineProfile(const CodeObject &Object,
                                       const CodeCounts &Counts, Weight By,
                                       const CallTargets &Calls) {
  Expected<SourceFrames> Source = SourceFrames::open(Object);
  if (!Source)
    return Source.takeError();
  Builder Build(*Source, Counts, By);
  for (const auto &Unit : Source->context().compile_units())
    if (const auto *Table = Source->context().getLineTableForUnit(Unit.get()))
      Build.addTable(*Table);
  Build.addCalls(Calls, Object);
  LineProfile Result = Build.finish(Object);
  if (Result.Executed && !Result.Attributed)
    return problem(ProblemKind::NoMarks,
                   "the line tables were made without "
                   "-fdebug-info-for-profiling, so they do not name functions");
  return Result;
}
