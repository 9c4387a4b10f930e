// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/CalleeSaved.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/NamedOperands.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <map>
#include <optional>

using namespace llvm;

namespace luthier {

RegisterSet calleeSavedVGPRs() {
  RegisterSet Result;
  for (unsigned I = 40; I < 256; ++I)
    if (I % 16 >= 8)
      Result.addVGPR(I);
  return Result;
}

namespace {

/// An instruction that copies all of one VGPR to a place of the function's own,
/// or from there: an accumulation register, or a number of bytes above a stack
/// pointer.
struct PrivateCopy {
  unsigned VGPR;
  int64_t Place;
};

std::optional<unsigned> unitOf(const MachineOperand &MO, unsigned First) {
  if (!MO.isReg() || !MO.getReg())
    return std::nullopt;
  const RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
  if (Units.Count != 1 || Units.IsPartial || Units.First < First)
    return std::nullopt;
  return Units.First;
}

std::optional<PrivateCopy> copyOf(const MachineInstr &MI, bool IsAway) {
  constexpr unsigned FirstVGPR = RegisterSet::FirstVGPR,
                     FirstAGPR = RegisterSet::FirstAGPR;
  const unsigned Move =
      IsAway ? AMDGPU::V_ACCVGPR_WRITE_B32_e64 : AMDGPU::V_ACCVGPR_READ_B32_e64;
  if (MI.getOpcode() == Move) {
    const auto VGPR = unitOf(MI.getOperand(IsAway ? 1 : 0), FirstVGPR),
               AGPR = unitOf(MI.getOperand(IsAway ? 0 : 1), FirstAGPR);
    if (!VGPR || !AGPR)
      return std::nullopt;
    return PrivateCopy{*VGPR, -int64_t(*AGPR)};
  }
  if (!SIInstrInfo::isMUBUF(MI) && !SIInstrInfo::isFLATScratch(MI))
    return std::nullopt;
  if (IsAway ? !MI.mayStore() || MI.mayLoad() : MI.mayStore() || !MI.mayLoad())
    return std::nullopt;
  // The address is in scalar registers.
  const auto Address =
      amdgpu::operandIndex(MI.getOpcode(), amdgpu::OperandName::VAddr);
  const auto Offset =
      amdgpu::operandIndex(MI.getOpcode(), amdgpu::OperandName::Offset);
  if (Address || !Offset)
    return std::nullopt;
  for (const MachineOperand &MO : MI.explicit_operands())
    if (const auto VGPR = unitOf(MO, FirstVGPR); VGPR && MO.isDef() == !IsAway)
      return PrivateCopy{*VGPR, MI.getOperand(*Offset).getImm()};
  return std::nullopt;
}

/// Which of the usual registers a function keeps.
class KeptRegisters {
public:
  RegisterSet of(const MachineFunction &MF) {
    for (const MachineBasicBlock &MBB : MF)
      for (const MachineInstr &MI : MBB)
        visit(MI);
    RegisterSet Result;
    for (auto [Unit, Place] : PutAway)
      if (TakenBack.test(Unit))
        Result.addUnit(Unit);
    return Result & calleeSavedVGPRs();
  }

private:
  /// The first mention puts the value away, the last write takes it back.
  void visit(const MachineInstr &MI) {
    const auto Away = copyOf(MI, true), Back = copyOf(MI, false);
    if (Away && !Mentioned.test(Away->VGPR))
      PutAway[Away->VGPR] = Away->Place;
    for (const MachineOperand &MO : MI.operands()) {
      if (!MO.isReg() || !MO.getReg())
        continue;
      const RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
      for (unsigned U = Units.First; U != Units.First + Units.Count; ++U) {
        Mentioned.set(U);
        if (!MO.isDef())
          continue;
        auto It = PutAway.find(U);
        const bool IsBack = Back && Back->VGPR == U && It != PutAway.end() &&
                            It->second == Back->Place;
        IsBack ? TakenBack.set(U) : TakenBack.reset(U);
      }
    }
  }

  BitVector Mentioned = BitVector(RegisterSet::NumUnits),
            TakenBack = BitVector(RegisterSet::NumUnits);
  std::map<unsigned, int64_t> PutAway;
};

} // namespace

RegisterSet calleeSavedVGPRs(const MachineFunction &MF) {
  return KeptRegisters().of(MF);
}

} // namespace luthier
