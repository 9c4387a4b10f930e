// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/InsertionPoints.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {
namespace {

/// Blocks that are entered with GPR-index mode on. In that mode every vector
/// instruction is indexed, an inserted one too.
SmallPtrSet<const MachineBasicBlock *, 4>
enteredIndexed(const MachineFunction &MF) {
  SmallPtrSet<const MachineBasicBlock *, 4> Result;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      bool Indexed = Result.contains(&MBB);
      for (const MachineInstr &MI : MBB) {
        if (MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_ON)
          Indexed = true;
        else if (MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_OFF)
          Indexed = false;
      }
      if (Indexed)
        for (const MachineBasicBlock *Next : MBB.successors())
          Changed |= Result.insert(Next).second;
    }
  }
  return Result;
}

} // namespace

InsertionPoints InsertionPoints::run(const LiftedRepresentation &LR) {
  InsertionPoints Result;
  DenseMap<const MachineInstr *, const MachineInstr *> EndOfPair;
  for (const PCRelativeReference &Ref : LR.pcRelativeReferences())
    if (Ref.AddHigh)
      EndOfPair[Ref.GetPC] = Ref.AddHigh;

  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    const auto Indexed = enteredIndexed(*MF);
    for (const MachineBasicBlock &MBB : *MF) {
      // The group that the next instruction belongs to, if any.
      const MachineInstr *Group = nullptr;
      const MachineInstr *LastOfPair = nullptr;
      bool InGroup = Indexed.contains(&MBB);
      bool InIndexMode = InGroup;
      unsigned LeftInClause = 0;
      for (const MachineInstr &MI : MBB) {
        if (InGroup)
          Result.Anchors[&MI] = Group;
        // A hook must see the EXEC of its own instruction.
        if (InGroup && MI.modifiesRegister(AMDGPU::EXEC, &TRI))
          Group = nullptr;
        bool Begins = false;
        if (LeftInClause)
          --LeftInClause;
        if (MI.getOpcode() == AMDGPU::S_CLAUSE) {
          LeftInClause = (MI.getOperand(0).getImm() & 0x3f) + 1;
          Begins = true;
        } else if (MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_ON) {
          Begins = InIndexMode = true;
        } else if (MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_OFF) {
          InIndexMode = false;
        } else if (auto It = EndOfPair.find(&MI); It != EndOfPair.end()) {
          LastOfPair = It->second;
          Begins = true;
        }
        if (&MI == LastOfPair)
          LastOfPair = nullptr;
        if (Begins && !InGroup)
          Group = &MI;
        InGroup = InIndexMode || LeftInClause || LastOfPair;
      }
    }
  }
  return Result;
}

Expected<const MachineInstr *>
InsertionPoints::anchorOf(const MachineInstr &MI) const {
  auto It = Anchors.find(&MI);
  if (It == Anchors.end())
    return &MI;
  if (It->second)
    return It->second;
  std::string Text;
  raw_string_ostream(Text) << MI;
  return refuse(RefusalReason::NoInsertionPoint,
                "nothing can be inserted before " + StringRef(Text).trim());
}

} // namespace luthier
