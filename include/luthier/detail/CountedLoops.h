// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that CountInstructions.h counts otherwise than by adding in each run
// what it executes.
#ifndef LUTHIER_DETAIL_COUNTEDLOOPS_H
#define LUTHIER_DETAIL_COUNTEDLOOPS_H

#include "luthier/InstructionRuns.h"
#include "luthier/TripCount.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace luthier::detail {

/// What one run of a loop of one block executes, if all vector instructions
/// have the same lanes: those that there are at Begin.
struct LoopBody {
  const llvm::MachineInstr *Begin = nullptr;
  uint32_t Vectors = 0, Scalars = 0;

  uint32_t size() const { return Vectors + Scalars; }
  static std::optional<LoopBody> of(const llvm::MachineBasicBlock &MBB,
                                    const std::vector<LaneGroup> &Groups) {
    const uint32_t Vectors = llvm::count_if(MBB, isVectorInstruction);
    auto isCall = [](const llvm::MachineInstr &MI) { return MI.isCall(); };
    auto hasAll = [&](const LaneGroup &G) {
      return G.Begin->getParent() == &MBB && G.Without.empty() &&
             G.Instructions.size() == Vectors;
    };
    if (!MBB.isSuccessor(&MBB) || llvm::any_of(MBB, isCall))
      return std::nullopt;
    const auto Group = llvm::find_if(Groups, hasAll);
    if (Vectors && Group == Groups.end())
      return std::nullopt;
    return LoopBody{Vectors ? Group->Begin : &MBB.front(), Vectors,
                    uint32_t(MBB.size()) - Vectors};
  }
};

/// Loops that are counted where they are entered, as it is known how often they
/// run.
struct LoopsWithTrips {
  struct Trips {
    TripCount Count;
    LoopBody Body;
  };
  llvm::MapVector<const llvm::MachineBasicBlock *, Trips> Blocks;

  static LoopsWithTrips of(const LiftedRepresentation &LR,
                           const std::vector<LaneGroup> &Groups) {
    LoopsWithTrips Result;
    for (const auto &[Symbol, MF] : LR.functions())
      for (const llvm::MachineBasicBlock &MBB : *MF)
        if (const std::optional<LoopBody> Body = LoopBody::of(MBB, Groups))
          if (std::optional<TripCount> Count = tripCountOf(LR, MBB))
            Result.Blocks.insert({&MBB, Trips{*Count, *Body}});
    return Result;
  }
  bool contains(const llvm::MachineInstr &MI) const {
    return Blocks.contains(MI.getParent());
  }
};

/// A loop that counts how often it runs, and its lanes, and multiplies at the
/// end.
struct CountedLoop {
  LoopBody Body;

  explicit operator bool() const { return Body.Begin; }
  bool contains(const llvm::MachineInstr &MI) const {
    return *this && MI.getParent() == Body.Begin->getParent();
  }
};

/// The largest with vector instructions beside \p Trips, if most of the time
/// may be spent there: in a kernel with much else, two more counters are dearer
/// than what they save.
inline CountedLoop countedLoop(const LiftedRepresentation &LR,
                               const std::vector<LaneGroup> &Groups,
                               const LoopsWithTrips &Trips) {
  CountedLoop Largest;
  size_t NumAll = 0;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const llvm::MachineBasicBlock &MBB : *MF) {
      NumAll += MBB.size();
      const std::optional<LoopBody> Body = LoopBody::of(MBB, Groups);
      if (Body && Body->Vectors && !Trips.contains(*Body->Begin) &&
          Body->size() > Largest.Body.size())
        Largest = {*Body};
    }
  constexpr size_t TimesOfLoop = 16, MostInstructions = 256;
  return NumAll <= MostInstructions &&
                 TimesOfLoop * Largest.Body.size() >= NumAll
             ? Largest
             : CountedLoop();
}

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_COUNTEDLOOPS_H
