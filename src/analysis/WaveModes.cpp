// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/WaveModes.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/TargetTraits.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

bool WaveModes::join(const WaveModes &Other) {
  const WaveModes Old = *this;
  Indexed |= Other.Indexed;
  Skips |= Other.Skips;
  Deallocated |= Other.Deallocated;
  Allocated |= Other.Allocated;
  return Old.Indexed != Indexed || Old.Skips != Skips ||
         Old.Deallocated != Deallocated || Old.Allocated != Allocated;
}

bool deallocatesVGPRs(const MachineInstr &MI) {
  constexpr int64_t Message = 3; // Older processors have another one.
  return MI.getOpcode() == AMDGPU::S_SENDMSG &&
         (MI.getOperand(0).getImm() & 0xff) == Message &&
         targetTraits(MI).Instructions.HasDeallocMessage;
}

void WaveModeTracker::step(const MachineInstr &MI, WaveModes &Modes) const {
  if (MI.isCall())
    Modes.join(AtTransfers);
  if (std::optional<bool> On = vectorModeAfter(MI, VectorMode::Index))
    Modes.Indexed = *On;
  if (std::optional<bool> On = vectorModeAfter(MI, VectorMode::Skip))
    Modes.Skips = *On;
  if (deallocatesVGPRs(MI)) {
    Modes.Deallocated = true;
    Modes.Allocated = false;
  }
}

/// Most blocks neither change modes nor hand them to other functions.
static bool concernsModes(const MachineBasicBlock &MBB) {
  return any_of(MBB, [](const MachineInstr &MI) {
    return MI.isCall() || MI.isIndirectBranch() ||
           vectorModeAfter(MI, VectorMode::Index) ||
           vectorModeAfter(MI, VectorMode::Skip) || deallocatesVGPRs(MI);
  });
}

/// Whether that added anything to what transfers hand on.
bool WaveModeTracker::enter(const MachineFunction &MF, bool IsKernel) {
  WaveModes HandedOn = AtTransfers;
  if (!IsKernel)
    Entry[&MF.front()].join(AtTransfers);
  Entry[&MF.front()].Allocated = true;
  DenseSet<const MachineBasicBlock *> Concerned;
  for (const MachineBasicBlock &MBB : MF)
    if (concernsModes(MBB))
      Concerned.insert(&MBB);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      WaveModes Modes = Entry.lookup(&MBB);
      if (Concerned.contains(&MBB))
        for (const MachineInstr &MI : MBB) {
          if (MI.isCall() || MI.isIndirectBranch())
            HandedOn.join(Modes);
          step(MI, Modes);
        }
      for (const MachineBasicBlock *Next : MBB.successors())
        Changed |= Entry[Next].join(Modes);
    }
  }
  // That the registers are still there is no state of interest.
  HandedOn.Allocated = AtTransfers.Allocated;
  return AtTransfers.join(HandedOn);
}

WaveModeTracker WaveModeTracker::run(const LiftedRepresentation &LR) {
  WaveModeTracker Result;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Symbol, MF] : LR.functions())
      Changed |= Result.enter(*MF, MF == LR.functions().front().second);
  }
  return Result;
}

} // namespace luthier
