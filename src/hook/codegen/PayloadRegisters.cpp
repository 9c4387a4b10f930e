// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/PayloadRegisters.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
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
  return false;
}

} // namespace

Pass *createPayloadRegisterPass(PassContext &C) {
  return new PayloadRegisters(C.Target.registerFiles(), C.ABI);
}

} // namespace luthier
