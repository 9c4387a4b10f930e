// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ExecChange.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/OpcodeFacts.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

bool isExec(const MachineOperand &MO) {
  return MO.isReg() &&
         (MO.getReg() == AMDGPU::EXEC || MO.getReg() == AMDGPU::EXEC_LO ||
          MO.getReg() == AMDGPU::EXEC_HI);
}

/// \p MO is the register that the instruction writes, all of it.
bool isOldValue(const MachineInstr &MI, const MachineOperand &MO) {
  return MO.isReg() && MO.getReg() == MI.getOperand(0).getReg();
}

bool writesExec(const MachineInstr &MI) {
  return any_of(MI.operands(), [](const MachineOperand &MO) {
    return MO.isReg() && MO.isDef() && isExec(MO);
  });
}

ExecChange changeOfMove(const MachineInstr &MI, bool IsWave32) {
  const MachineOperand &To = MI.getOperand(0), &From = MI.getOperand(1);
  if (!From.isImm())
    return ExecChange::Unknown;
  // Half of the lanes of 64; the other half stays as it is.
  const bool IsHalf = To.getReg() != AMDGPU::EXEC &&
                      !(IsWave32 && To.getReg() == AMDGPU::EXEC_LO);
  if (From.getImm() == -1)
    return IsHalf ? ExecChange::Grows : ExecChange::All;
  if (From.getImm() == 0)
    return IsHalf ? ExecChange::Shrinks : ExecChange::Nothing;
  return ExecChange::Unknown;
}

/// Instructions whose destination is EXEC.
ExecChange changeOfOperation(const MachineInstr &MI, bool IsWave32) {
  auto isOld = [&](unsigned I) { return isOldValue(MI, MI.getOperand(I)); };
  switch (MI.getOpcode()) {
  case AMDGPU::S_MOV_B32:
  case AMDGPU::S_MOV_B64:
  case AMDGPU::S_MOV_B32_term:
  case AMDGPU::S_MOV_B64_term:
    return changeOfMove(MI, IsWave32);
  case AMDGPU::S_AND_B32:
  case AMDGPU::S_AND_B64:
  case AMDGPU::S_AND_B32_term:
  case AMDGPU::S_AND_B64_term:
    return isOld(1) || isOld(2) ? ExecChange::Shrinks : ExecChange::Unknown;
  case AMDGPU::S_ANDN2_B32:
  case AMDGPU::S_ANDN2_B64:
  case AMDGPU::S_ANDN2_B32_term:
  case AMDGPU::S_ANDN2_B64_term:
    return isOld(1) ? ExecChange::Shrinks : ExecChange::Unknown;
  case AMDGPU::S_OR_B32:
  case AMDGPU::S_OR_B64:
  case AMDGPU::S_OR_B32_term:
  case AMDGPU::S_OR_B64_term:
    return isOld(1) || isOld(2) ? ExecChange::Grows : ExecChange::Unknown;
  case AMDGPU::S_ORN2_B32:
  case AMDGPU::S_ORN2_B64:
    return isOld(1) ? ExecChange::Grows : ExecChange::Unknown;
  case AMDGPU::S_NOT_B32:
    return isOld(1) && IsWave32 ? ExecChange::Inverts : ExecChange::Unknown;
  case AMDGPU::S_NOT_B64:
    return isOld(1) ? ExecChange::Inverts : ExecChange::Unknown;
  default:
    return ExecChange::Unknown;
  }
}

} // namespace

ExecChange execChangeOf(const MachineInstr &MI, bool IsWave32) {
  if (!writesExec(MI))
    return ExecChange::None;
  // The result of a comparison is zero in inactive lanes.
  if (amdgpu::opcodeFacts(MI).has(amdgpu::Compares))
    return ExecChange::Shrinks;
  switch (MI.getOpcode()) {
  case AMDGPU::S_AND_SAVEEXEC_B32:
  case AMDGPU::S_AND_SAVEEXEC_B64:
  case AMDGPU::S_ANDN1_SAVEEXEC_B32:
  case AMDGPU::S_ANDN1_SAVEEXEC_B64:
  case AMDGPU::S_ANDN1_WREXEC_B32:
  case AMDGPU::S_ANDN1_WREXEC_B64:
    return ExecChange::Shrinks;
  case AMDGPU::S_OR_SAVEEXEC_B32:
  case AMDGPU::S_OR_SAVEEXEC_B64:
  case AMDGPU::S_ORN1_SAVEEXEC_B32:
  case AMDGPU::S_ORN1_SAVEEXEC_B64:
    return ExecChange::Grows;
  default:
    return MI.getNumExplicitOperands() > 1 && isExec(MI.getOperand(0))
               ? changeOfOperation(MI, IsWave32)
               : ExecChange::Unknown;
  }
}

} // namespace luthier
