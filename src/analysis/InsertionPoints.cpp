// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/InsertionPoints.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Clause.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {
namespace {

/// States of a wave in which nothing can be inserted. "May be" on some path
/// counts as "is".
struct WaveModes {
  bool Indexed = false;     ///< Vector operands are offset by M0.
  bool Skips = false;       ///< Vector instructions do nothing.
  bool Deallocated = false; ///< There are no vector registers any more.
  bool Allocated = false;   ///< There still are. Not a state of interest.

  bool any() const { return Indexed || Skips || Deallocated; }
  /// Whether that added anything.
  bool join(const WaveModes &Other) {
    WaveModes Old = *this;
    Indexed |= Other.Indexed;
    Skips |= Other.Skips;
    Deallocated |= Other.Deallocated;
    Allocated |= Other.Allocated;
    return Old.Indexed != Indexed || Old.Skips != Skips ||
           Old.Deallocated != Deallocated || Old.Allocated != Allocated;
  }
};

/// s_setreg of hwreg(HW_REG_MODE) reaches the bits of both modes.
bool writesModeBits(int64_t HwReg, unsigned Bit) {
  constexpr int64_t HwRegMode = 1;
  const int64_t First = HwReg >> 6 & 0x1f, Count = (HwReg >> 11 & 0x1f) + 1;
  return (HwReg & 0x3f) == HwRegMode && First <= Bit && Bit < First + Count;
}

class ModeTracker {
public:
  explicit ModeTracker(const MCSubtargetInfo &STI)
      : Deallocates(STI.hasFeature(AMDGPU::FeatureGFX11Insts)),
        HasIndexMode(STI.hasFeature(AMDGPU::FeatureVGPRIndexMode)) {}

  bool isDeallocation(const MachineInstr &MI) const {
    constexpr int64_t DeallocVGPRs = 3; // Message id since gfx11.
    return Deallocates && MI.getOpcode() == AMDGPU::S_SENDMSG &&
           (MI.getOperand(0).getImm() & 0xff) == DeallocVGPRs;
  }

  void step(const MachineInstr &MI, WaveModes &Modes) const {
    switch (MI.getOpcode()) {
    case AMDGPU::S_SET_GPR_IDX_ON:
      Modes.Indexed = true;
      return;
    case AMDGPU::S_SET_GPR_IDX_OFF:
      Modes.Indexed = false;
      return;
    case AMDGPU::S_SETVSKIP:
      Modes.Skips = !isZero(MI.getOperand(0));
      return;
    case AMDGPU::S_SETREG_B32:
    case AMDGPU::S_SETREG_IMM32_B32:
      // Which value the bits get is not followed. Both modes went with gfx10.
      if (HasIndexMode && writesModeBits(MI.getOperand(1).getImm(), 27))
        Modes.Indexed = true;
      if (HasIndexMode && writesModeBits(MI.getOperand(1).getImm(), 28))
        Modes.Skips = true;
      return;
    default:
      if (!isDeallocation(MI))
        return;
      Modes.Deallocated = true;
      Modes.Allocated = false;
    }
  }

private:
  static bool isZero(const MachineOperand &MO) {
    return MO.isImm() && MO.getImm() == 0;
  }
  bool Deallocates, HasIndexMode;
};

using ModesAtEntry = DenseMap<const MachineBasicBlock *, WaveModes>;

ModesAtEntry modesAtEntry(const MachineFunction &MF,
                          const ModeTracker &Tracker) {
  ModesAtEntry Result;
  Result[&MF.front()].Allocated = true;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      WaveModes Modes = Result.lookup(&MBB);
      for (const MachineInstr &MI : MBB)
        Tracker.step(MI, Modes);
      for (const MachineBasicBlock *Next : MBB.successors())
        Changed |= Result[Next].join(Modes);
    }
  }
  return Result;
}

} // namespace

/// Walks one block and notes before which of its instructions nothing may
/// stand. A group is a run of instructions that stay together.
class InsertionPoints::BlockScan {
public:
  using PairEnds = DenseMap<const MachineInstr *, const MachineInstr *>;
  BlockScan(InsertionPoints &Result, const LiftedRepresentation &LR,
            const ModeTracker &Tracker, const PairEnds &EndOfPair,
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
    if (Tracker.isDeallocation(MI) && !Modes.Deallocated)
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

  InsertionPoints &Result;
  const LiftedRepresentation &LR;
  const ModeTracker &Tracker;
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

InsertionPoints InsertionPoints::run(const LiftedRepresentation &LR) {
  InsertionPoints Result;
  const ModeTracker Tracker(LR.impl().Target->subtarget());
  BlockScan::PairEnds EndOfPair;
  for (const PCRelativeReference &Ref : LR.pcRelativeReferences())
    if (Ref.AddHigh)
      EndOfPair[Ref.GetPC] = Ref.AddHigh;
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    const ModesAtEntry Entry = modesAtEntry(*MF, Tracker);
    for (const MachineBasicBlock &MBB : *MF)
      BlockScan(Result, LR, Tracker, EndOfPair, TRI)
          .run(MBB, Entry.lookup(&MBB));
  }
  return Result;
}

static Error nothingNear(const char *Side, const MachineInstr &MI) {
  std::string Text;
  raw_string_ostream(Text) << MI;
  return refuse(RefusalReason::NoInsertionPoint,
                Twine("nothing can be inserted ") + Side + " " +
                    StringRef(Text).trim());
}

Expected<const MachineInstr *>
InsertionPoints::anchorOf(const MachineInstr &MI) const {
  auto It = Illegal.find(&MI);
  if (It == Illegal.end())
    return &MI;
  if (It->second.Earlier)
    return It->second.Earlier;
  return nothingNear("before", MI);
}

Expected<const MachineInstr *>
InsertionPoints::anchorAfter(const MachineInstr &MI) const {
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
