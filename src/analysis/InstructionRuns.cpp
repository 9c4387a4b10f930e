// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstructionRuns.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "analysis/ExecChange.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

bool isVectorInstruction(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::V_READFIRSTLANE_B32:
  case AMDGPU::V_READLANE_B32:
  case AMDGPU::V_WRITELANE_B32:
    return false;
  default:
    return !SIInstrInfo::isSALU(MI) && !SIInstrInfo::isSMRD(MI);
  }
}

std::vector<InstructionRun> instructionRuns(const LiftedRepresentation &LR) {
  const bool IsWave32 = LR.impl().Kernel->Descriptor.usesWave32();
  std::vector<InstructionRun> Result;
  for (const auto &[Symbol, MF] : LR.functions())
    for (MachineBasicBlock &MBB : *MF) {
      bool Begins = true;
      for (MachineInstr &MI : MBB) {
        if (Begins)
          Result.push_back({&MI});
        ++(isVectorInstruction(MI) ? Result.back().Vector
                                   : Result.back().Scalar);
        Begins =
            execChangeOf(MI, IsWave32) != ExecChange::None || LR.transferOf(MI);
      }
    }
  return Result;
}

} // namespace luthier
