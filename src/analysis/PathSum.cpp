// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/PathSum.h"
#include "analysis/ControlFlow.h"
#include "analysis/RareSkips.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <numeric>
#include <optional>

using namespace llvm;

namespace luthier {
namespace {

/// Instructions that are executed all or none, up to a call or a block's end;
/// or none, on the way from one block to another.
struct Segment {
  MachineInstr *First;
  unsigned CycleDepth;
  bool IsOnce;
  bool IsBeforeLoops;
  /// Where a loop begins.
  bool IsHeader;
  uint64_t Number = 0;
  /// Places between segments, as far as they have to be told apart.
  unsigned From, To;
  const MachineBasicBlock *FromBlock = nullptr, *ToBlock = nullptr;
};

/// A graph whose nodes are the places between segments and whose edges are the
/// segments. Each place gets a height; a segment adds its number, and how much
/// lower it ends. Then a path adds the sum of its numbers, and how much lower
/// it ends. On a spanning tree the heights can be chosen so that nothing is
/// left to add.
class SegmentGraph {
public:
  SegmentGraph(const LiftedRepresentation &LR, PathPlaces Allowed)
      : LR(LR), Allowed(Allowed), BeforeLoops(blocksBeforeLoops(LR)),
        IsKernelOnce(isEnteredOnce(LR)) {
    for (const auto &[Symbol, MF] : LR.functions())
      addFunction(*MF);
    uniteSamePlaces();
    chooseTree();
  }

  PathSum sum(function_ref<uint64_t(const MachineInstr &)> NumberOf);

private:
  void addFunction(MachineFunction &MF);
  bool isOnce(const MachineBasicBlock &MBB, unsigned Depth) const {
    return !Depth && IsKernelOnce &&
           MBB.getParent() == LR.functions().front().second;
  }
  void addBlock(MachineBasicBlock &MBB, const MachineCycle *Cycle,
                unsigned FunctionEnd);
  void addEdge(const MachineBasicBlock &MBB, const MachineBasicBlock &Next,
               unsigned Depth, const RareSkips *Skips);
  unsigned newPlace() { return NumPlaces++; }
  void same(unsigned A, unsigned B) { SamePlaces.push_back({A, B}); }
  void uniteSamePlaces();
  void chooseTree();
  std::vector<uint64_t> heights() const;

  const LiftedRepresentation &LR;
  const PathPlaces Allowed;
  const DenseSet<const MachineBasicBlock *> BeforeLoops;
  const bool IsKernelOnce;
  std::vector<Segment> Segments;
  unsigned NumPlaces = 0;
  std::vector<std::pair<unsigned, unsigned>> SamePlaces;
  DenseMap<const MachineBasicBlock *, std::pair<unsigned, unsigned>> Blocks;
  unsigned KernelBegin = 0, KernelEnd = 0;
  /// By segment: part of the tree.
  std::vector<bool> IsInTree;
};

void SegmentGraph::addFunction(MachineFunction &MF) {
  const unsigned Begin = newPlace(), End = newPlace();
  if (&MF == LR.functions().front().second) {
    KernelBegin = Begin;
    KernelEnd = End;
  }
  // What a function adds at its end would have to be added at each; of a kernel
  // that is where the wave ends, or in code that may come back.
  if (Begin != KernelBegin || LR.hasUnresolvedTransfers())
    same(Begin, End);
  const auto Reached = reachedBlocks(MF);
  MachineCycleInfo Cycles;
  Cycles.compute(MF);
  for (MachineBasicBlock &MBB : MF)
    if (Reached.contains(&MBB))
      addBlock(MBB, Cycles.getCycle(&MBB), End);
  std::optional<const RareSkips> Skips;
  if (Allowed == PathPlaces::BlocksAndSkips)
    Skips.emplace(MF);
  for (const MachineBasicBlock &MBB : MF) {
    if (!Reached.contains(&MBB))
      continue;
    const unsigned BlockEnd = Blocks.lookup(&MBB).second;
    for (const MachineBasicBlock *Next : MBB.successors())
      addEdge(MBB, *Next,
              std::min(Cycles.getCycleDepth(&MBB), Cycles.getCycleDepth(Next)),
              Skips ? &*Skips : nullptr);
    if (MBB.succ_empty())
      same(BlockEnd, End);
  }
  if (!MF.empty())
    same(Begin, Blocks.lookup(&MF.front()).first);
}

/// The wave may end in a function that is called: what is added up to the call
/// has to be complete.
void SegmentGraph::addBlock(MachineBasicBlock &MBB, const MachineCycle *Cycle,
                            unsigned FunctionEnd) {
  const unsigned Depth = Cycle ? Cycle->getDepth() : 0;
  const bool IsOnce = isOnce(MBB, Depth);
  const unsigned Begin = newPlace();
  unsigned Current = Begin;
  MachineInstr *First = nullptr;
  auto EndSegment = [&] {
    const unsigned Next = newPlace();
    Segments.push_back({First, Depth, IsOnce, BeforeLoops.contains(&MBB),
                        Cycle && Cycle->getHeader() == &MBB, 0, Current, Next});
    Current = Next;
    First = nullptr;
  };
  for (MachineInstr &MI : MBB) {
    if (!First)
      First = &MI;
    if (!MI.isCall())
      continue;
    EndSegment();
    same(Current, FunctionEnd);
  }
  if (First)
    EndSegment();
  Blocks[&MBB] = {Begin, Current};
}

void SegmentGraph::addEdge(const MachineBasicBlock &MBB,
                           const MachineBasicBlock &Next, unsigned Depth,
                           const RareSkips *Skips) {
  const unsigned From = Blocks.lookup(&MBB).second,
                 To = Blocks.lookup(&Next).first;
  if (!Skips || !Skips->isRare(MBB, Next, Depth))
    return same(From, To);
  Segments.push_back({nullptr, Depth, isOnce(MBB, Depth),
                      BeforeLoops.contains(&MBB), false, 0, From, To, &MBB,
                      &Next});
}

void SegmentGraph::uniteSamePlaces() {
  IntEqClasses Classes(NumPlaces);
  for (auto [A, B] : SamePlaces)
    Classes.join(A, B);
  Classes.compress();
  NumPlaces = Classes.getNumClasses();
  for (Segment &S : Segments) {
    S.From = Classes[S.From];
    S.To = Classes[S.To];
  }
  KernelBegin = Classes[KernelBegin];
  KernelEnd = Classes[KernelEnd];
}

/// Of maximal cost (Kruskal): what is executed most often need not add. Skips
/// are rare. Behind loops, sums may take 64 bits. Where loops begin, there are
/// lanes to count as well.
void SegmentGraph::chooseTree() {
  std::vector<unsigned> Order(Segments.size());
  std::iota(Order.begin(), Order.end(), 0);
  sort(Order, [&](unsigned A, unsigned B) {
    auto cost = [&](unsigned I) {
      const Segment &S = Segments[I];
      return 8 * S.CycleDepth + 4 * (S.First != nullptr) +
             2 * !S.IsBeforeLoops + !S.IsHeader;
    };
    return std::pair(cost(B), A) < std::pair(cost(A), B);
  });
  IntEqClasses Connected(NumPlaces);
  IsInTree.resize(Segments.size());
  for (unsigned I : Order) {
    const Segment &S = Segments[I];
    IsInTree[I] = Connected.findLeader(S.From) != Connected.findLeader(S.To);
    Connected.join(S.From, S.To);
  }
}

/// With which segments of the tree add nothing: each ends higher than it begins
/// by its number.
std::vector<uint64_t> SegmentGraph::heights() const {
  std::vector<SmallVector<const Segment *, 2>> TreeAt(NumPlaces);
  for (auto [S, InTree] : zip(Segments, IsInTree))
    if (InTree) {
      TreeAt[S.From].push_back(&S);
      TreeAt[S.To].push_back(&S);
    }
  std::vector<std::optional<uint64_t>> Heights(NumPlaces);
  std::vector<unsigned> Work;
  for (unsigned Root = 0; Root < NumPlaces; ++Root) {
    if (Heights[Root])
      continue;
    Heights[Root] = 0;
    for (Work = {Root}; !Work.empty();) {
      const unsigned Place = Work.back();
      Work.pop_back();
      for (const Segment *S : TreeAt[Place]) {
        const bool Forward = S->From == Place;
        std::optional<uint64_t> &Other = Heights[Forward ? S->To : S->From];
        if (Other)
          continue;
        Other = *Heights[Place] + (Forward ? S->Number : 0 - S->Number);
        Work.push_back(Forward ? S->To : S->From);
      }
    }
  }
  std::vector<uint64_t> Result;
  for (const std::optional<uint64_t> &H : Heights)
    Result.push_back(*H);
  return Result;
}

PathSum
SegmentGraph::sum(function_ref<uint64_t(const MachineInstr &)> NumberOf) {
  for (Segment &S : Segments)
    for (const MachineInstr *MI = S.First; MI; MI = MI->getNextNode()) {
      S.Number += NumberOf(*MI);
      if (MI->isCall())
        break;
    }
  const std::vector<uint64_t> Height = heights();
  PathSum Result;
  for (const Segment &S : Segments)
    if (const uint64_t Number = S.Number + Height[S.From] - Height[S.To])
      Result.Additions.push_back({S.First, Number, S.IsOnce, S.IsBeforeLoops,
                                  S.FromBlock, S.ToBlock, S.CycleDepth});
  Result.AtWaveEnd = Height[KernelEnd] - Height[KernelBegin];
  return Result;
}

/// Adds up what all functions hold, callees for each call.
class LongestRun {
public:
  explicit LongestRun(const LiftedRepresentation &LR) : LR(LR) {}

  std::optional<uint64_t> of(const MachineFunction &MF);

private:
  /// Beyond that, nobody asks.
  static constexpr uint64_t Limit = uint64_t(1) << 40;

  const LiftedRepresentation &LR;
  /// Without a number while a function is looked at: it calls itself.
  DenseMap<const MachineFunction *, std::optional<uint64_t>> Known;
};

std::optional<uint64_t> LongestRun::of(const MachineFunction &MF) {
  if (auto [It, New] = Known.try_emplace(&MF); !New)
    return It->second;
  MachineCycleInfo Cycles;
  Cycles.compute(const_cast<MachineFunction &>(MF));
  if (Cycles.toplevel_begin() != Cycles.toplevel_end())
    return std::nullopt;
  uint64_t Sum = 0;
  for (const MachineBasicBlock *MBB : reachedBlocks(MF))
    for (const MachineInstr &MI : *MBB) {
      ++Sum;
      const ControlTransfer *Transfer = LR.transferOf(MI);
      if (!Transfer || !Transfer->Callee)
        continue;
      const std::optional<uint64_t> Callee = of(*Transfer->Callee);
      if (!Callee || *Callee > Limit || Sum > Limit)
        return std::nullopt;
      Sum += *Callee;
    }
  return Known[&MF] = Sum;
}

} // namespace

std::optional<uint64_t> mostInstructions(const LiftedRepresentation &LR) {
  if (LR.hasUnresolvedTransfers())
    return std::nullopt;
  return LongestRun(LR).of(*LR.functions().front().second);
}

PathSum pathSum(const LiftedRepresentation &LR,
                function_ref<uint64_t(const MachineInstr &)> NumberOf,
                PathPlaces Places) {
  return SegmentGraph(LR, Places).sum(NumberOf);
}

} // namespace luthier
