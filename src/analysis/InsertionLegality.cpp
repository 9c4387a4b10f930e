// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/InsertionLegality.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Clause.h"
#include "analysis/WaveModes.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {
/// Walks one block and notes before which of its instructions nothing may
/// stand. A group is a run of instructions that stay together.
class InsertionLegality::BlockScan {
public:
  using PairEnds = DenseMap<const MachineInstr *, const MachineInstr *>;
  BlockScan(InsertionLegality &Result, const LiftedRepresentation &LR,
            const WaveModeTracker &Tracker, const PairEnds &EndOfPair,
            const TargetRegisterInfo &TRI)
      : Result(Result), LR(LR), Tracker(Tracker), EndOfPair(EndOfPair),
        TRI(TRI) {}

  void run(const MachineBasicBlock &MBB, WaveModes Entry) {
    Modes = Entry;
    if (Entry.Deallocated && !Entry.Allocated)
      Result.EnteredDeallocated.insert(&MBB);
    InGroup = Modes.any();
    for (const MachineInstr &MI : MBB) {
      if (InGroup) {
        Result.Illegal[&MI].Earlier = Group;
        Waiting.push_back(&MI);
      } else {
        settle(&MI);
      }
      const bool Begins = advance(MI);
      // A hook must see the EXEC of its own instruction.
      if (MI.modifiesRegister(AMDGPU::EXEC, &TRI)) {
        Waiting.clear();
        if (InGroup)
          Group = nullptr;
      }
      if (Begins && !InGroup)
        Group = &MI;
      InGroup = Modes.any() || LeftInRun || LastOfPair;
    }
    if (InGroup)
      Result.IllegalBehind.insert(&MBB);
    else
      settle(nullptr);
  }

private:
  /// \p Next is the first legal instruction after those that wait for one.
  void settle(const MachineInstr *Next) {
    for (const MachineInstr *MI : Waiting) {
      Result.Illegal[MI].Later = Next;
      Result.Illegal[MI].EndIsLater = !Next;
    }
    Waiting.clear();
  }

  /// Whether \p MI can begin a group.
  bool advance(const MachineInstr &MI) {
    const bool WasInMode = Modes.any();
    if (luthier::deallocatesVGPRs(MI) && !Modes.Deallocated)
      Result.Deallocations.insert(&MI);
    Tracker.step(MI, Modes);
    bool Begins = Modes.any() && !WasInMode;
    if (LeftInRun)
      --LeftInRun;
    if (const unsigned Length = clauseLength(LR, MI)) {
      LeftInRun = Length;
      Begins = true;
    } else if (MI.getOpcode() == AMDGPU::S_DELAY_ALU && !LeftInRun) {
      // It speaks of the instruction behind it.
      LeftInRun = 1;
      Begins = true;
    } else if (auto It = EndOfPair.find(&MI); It != EndOfPair.end()) {
      LastOfPair = It->second;
      Begins = true;
    }
    if (&MI == LastOfPair)
      LastOfPair = nullptr;
    return Begins;
  }

  InsertionLegality &Result;
  const LiftedRepresentation &LR;
  const WaveModeTracker &Tracker;
  const PairEnds &EndOfPair;
  const TargetRegisterInfo &TRI;

  WaveModes Modes;
  /// The group that the next instruction belongs to, and its first instruction
  /// if that can stand for it.
  bool InGroup = false;
  const MachineInstr *Group = nullptr;
  const MachineInstr *LastOfPair = nullptr;
  unsigned LeftInRun = 0; ///< Of a clause, or of what was announced.
  SmallVector<const MachineInstr *, 8> Waiting;
};

InsertionLegality InsertionLegality::run(const LiftedRepresentation &LR) {
  InsertionLegality Result;
  const WaveModeTracker Tracker = WaveModeTracker::run(LR);
  BlockScan::PairEnds EndOfPair;
  for (const PCRelativeReference &Ref : LR.pcRelativeReferences())
    if (Ref.AddHigh)
      EndOfPair[Ref.GetPC] = Ref.AddHigh;
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    for (const MachineBasicBlock &MBB : *MF)
      BlockScan(Result, LR, Tracker, EndOfPair, TRI)
          .run(MBB, Tracker.atEntry(MBB));
  }
  return Result;
}

bool InsertionLegality::isLegal(const InsertionPoint &Where) const {
  if (Where.instruction())
    return !Illegal.contains(Where.instruction());
  return !Where.source() || isLegalBehind(*Where.source());
}

static Error nothingNear(const char *Side, const MachineInstr &MI) {
  std::string Text;
  raw_string_ostream(Text) << MI;
  return refuse(RefusalReason::NoInsertionPoint,
                Twine("nothing can be inserted ") + Side + " " +
                    StringRef(Text).trim());
}

Expected<const MachineInstr *>
InsertionLegality::anchorOf(const MachineInstr &MI) const {
  auto It = Illegal.find(&MI);
  if (It == Illegal.end())
    return &MI;
  if (It->second.Earlier)
    return It->second.Earlier;
  return nothingNear("before", MI);
}

Expected<const MachineInstr *>
InsertionLegality::anchorAfter(const MachineInstr &MI) const {
  const MachineInstr *Next = MI.getNextNode();
  if (!Next) {
    if (!isLegalBehind(*MI.getParent()))
      return nothingNear("after", MI);
    return nullptr;
  }
  auto It = Illegal.find(Next);
  if (It == Illegal.end())
    return Next;
  if (It->second.Later || It->second.EndIsLater)
    return It->second.Later;
  return nothingNear("after", MI);
}

} // namespace luthier
