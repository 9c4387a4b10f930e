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
  explicit PayloadRegisters(PassContext &C) : MachineFunctionPass(ID), C(C) {}
  StringRef getPassName() const override { return "Luthier payload registers"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  void reserve(SIMachineFunctionInfo &Info, amdgpu::RegisterRange Range) const;

  PassContext &C;
  const amdgpu::RegisterFiles &Files = C.Target.registerFiles();
  const PayloadABI &ABI = C.ABI;
};
char PayloadRegisters::ID = 0;

/// Reserving a register as a whole-wave register is what LLVM offers from
/// outside. Whenever somebody asks what is reserved, it goes through all that
/// overlaps each of these, so there are few of them: the widest, where they
/// fit.
void PayloadRegisters::reserve(SIMachineFunctionInfo &Info,
                               amdgpu::RegisterRange Range) const {
  if (Range.File == amdgpu::RegisterFile::None)
    return;
  for (unsigned I = Range.First; I < Range.end();) {
    const MCRegister Many =
        I % amdgpu::RegisterFiles::Widest == 0 &&
                I + amdgpu::RegisterFiles::Widest <= Range.end()
            ? Files.widest(Range.File, I)
            : MCRegister();
    Info.reserveWWMRegister(Many ? Many : Files.single(Range.File, I));
    I += Many ? amdgpu::RegisterFiles::Widest : 1;
  }
}

bool PayloadRegisters::runOnMachineFunction(MachineFunction &MF) {
  auto &Info = *MF.getInfo<SIMachineFunctionInfo>();
  C.Registers = MF.getSubtarget().getRegisterInfo();
  using enum amdgpu::RegisterFile;
  assert(ABI.FirstVGPR <= Files.count(VGPR) &&
         ABI.VGPRLimit <= Files.count(VGPR) &&
         ABI.FirstSGPR <= Files.count(SGPR) &&
         ABI.SGPRLimit <= Files.count(SGPR) && "windows are of registers");
  reserve(Info, {VGPR, 0, ABI.FirstVGPR});
  reserve(Info, {VGPR, ABI.VGPRLimit, Files.count(VGPR) - ABI.VGPRLimit});
  reserve(Info, {SGPR, 0, ABI.FirstSGPR});
  reserve(Info, {SGPR, ABI.SGPRLimit, Files.count(SGPR) - ABI.SGPRLimit});
  // Accumulation registers are the application's, and payloads do not spill to
  // them.
  reserve(Info, {AGPR, 0, Files.count(AGPR)});
  for (MCRegister Reg :
       {ABI.VccSave, ABI.ExecSave, ABI.SccSave, ABI.M0Save, ABI.ModeSave,
        ABI.StackPointer, ABI.State, ABI.WorkItemIds})
    reserve(Info, Files.rangeOf(Reg));
  for (MCRegister Reg : ABI.Kept)
    reserve(Info, Files.rangeOf(Reg));
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
  return new PayloadRegisters(C);
}

} // namespace luthier
