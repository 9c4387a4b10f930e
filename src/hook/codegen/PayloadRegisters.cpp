// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/PayloadRegisters.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "SIMachineFunctionInfo.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {

MCRegister stackPointerOf(const PayloadABI &ABI) {
  return ABI.StackPointer ? ABI.StackPointer : MCRegister(AMDGPU::TTMP0);
}

namespace {

class PayloadRegisters : public MachineFunctionPass {
public:
  static char ID;
  PayloadRegisters(const amdgpu::RegisterFiles &Files, const PayloadABI &ABI)
      : MachineFunctionPass(ID), Files(Files), ABI(ABI) {}
  StringRef getPassName() const override { return "Luthier payload registers"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  void reserve(SIMachineFunctionInfo &Info, MCRegister Reg) const;

  const amdgpu::RegisterFiles &Files;
  const PayloadABI &ABI;
};
char PayloadRegisters::ID = 0;

/// Reserving a register as a whole-wave register is what LLVM offers from
/// outside. It wants single registers.
void PayloadRegisters::reserve(SIMachineFunctionInfo &Info,
                               MCRegister Reg) const {
  if (!Reg)
    return;
  const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
  for (unsigned I = Range.First; I < Range.end(); ++I)
    if (Range.File == amdgpu::RegisterFile::SGPR)
      Info.reserveWWMRegister(Files.sgpr(I));
    else if (Range.File == amdgpu::RegisterFile::VGPR)
      Info.reserveWWMRegister(Files.vgpr(I));
}

/// \p MO is part of a wider value.
bool isPartOfTuple(const MachineOperand &MO, const MachineRegisterInfo &MRI) {
  for (const MachineOperand *Part = &MO;;) {
    if (Part->getSubReg())
      return true;
    const MachineInstr *Def = Part->getReg().isVirtual()
                                  ? MRI.getUniqueVRegDef(Part->getReg())
                                  : nullptr;
    if (!Def || !Def->isCopy())
      return false;
    Part = &Def->getOperand(1);
  }
}

/// LLVM computes a value that is copied to a reserved register in that register
/// if nothing else uses it. Of a part of a wider value, that is the tuple
/// around the register: what the others hold, for the application or written by
/// the hook before, would be lost. It only does so with copies, so
///   $sgpr11 = COPY %5.sub1
/// becomes
///   $sgpr11 = S_MOV_B32 %5.sub1
void keepFromNeighbours(MachineInstr &MI, const SIInstrInfo &TII,
                        const MachineRegisterInfo &MRI) {
  if (!MI.isCopy() || !MI.getOperand(0).getReg().isPhysical() ||
      !MI.getOperand(1).getReg().isVirtual() ||
      !isPartOfTuple(MI.getOperand(1), MRI))
    return;
  const SIRegisterInfo &TRI = TII.getRegisterInfo();
  const Register To = MI.getOperand(0).getReg();
  const bool IsVector = SIRegisterInfo::hasVectorRegisters(
      MRI.getRegClass(MI.getOperand(1).getReg()));
  if (TRI.getRegClass(AMDGPU::SGPR_32RegClassID)->contains(To) && !IsVector) {
    MI.setDesc(TII.get(AMDGPU::S_MOV_B32));
  } else if (TRI.getRegClass(AMDGPU::VGPR_32RegClassID)->contains(To)) {
    MI.setDesc(TII.get(AMDGPU::V_MOV_B32_e32));
    MI.addImplicitDefUseOperands(*MI.getMF());
  }
}

bool PayloadRegisters::runOnMachineFunction(MachineFunction &MF) {
  auto &Info = *MF.getInfo<SIMachineFunctionInfo>();
  for (unsigned I = 0; I < Files.vgprCount(); ++I)
    if (I < ABI.FirstVGPR || I >= ABI.VGPRLimit)
      reserve(Info, Files.vgpr(I));
  for (unsigned I = 0; I < Files.sgprCount(); ++I)
    if (I < ABI.FirstSGPR || I >= ABI.SGPRLimit)
      reserve(Info, Files.sgpr(I));
  // Accumulation registers are the application's, and payloads do not spill to
  // them.
  for (unsigned Reg = AMDGPU::AGPR0; Reg <= AMDGPU::AGPR255; ++Reg)
    Info.reserveWWMRegister(Reg);
  for (MCRegister Reg :
       {ABI.VccSave, ABI.ExecSave, ABI.SccSave, ABI.M0Save, ABI.ModeSave,
        ABI.StackPointer, ABI.State, ABI.WorkItemIds})
    reserve(Info, Reg);
  for (MCRegister Reg : ABI.Kept)
    reserve(Info, Reg);
  // The application's own in waves of 32 lanes.
  if (ABI.WaveSize == 32)
    Info.reserveWWMRegister(AMDGPU::VCC_HI);
  Info.setStackPtrOffsetReg(stackPointerOf(ABI));
  Info.setFrameOffsetReg(stackPointerOf(ABI));
  // Nobody calls a payload: it need not avoid what a callee must preserve.
  MF.getRegInfo().setCalleeSavedRegs({});
  MF.getRegInfo().freezeReservedRegs();
  const auto &TII = *MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      keepFromNeighbours(MI, TII, MF.getRegInfo());
  return true;
}

} // namespace

Pass *createPayloadRegisterPass(PassContext &C) {
  return new PayloadRegisters(C.Target.registerFiles(), C.ABI);
}

} // namespace luthier
