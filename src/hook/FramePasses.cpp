// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/FramePasses.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIMachineFunctionInfo.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {

MCRegister stackPointerOf(const PayloadFrame &Frame) {
  return Frame.StackPointer ? Frame.StackPointer : MCRegister(AMDGPU::TTMP0);
}

namespace {

class FramePass : public MachineFunctionPass {
public:
  static char ID;
  FramePass(const amdgpu::RegisterFiles &Files, const PayloadFrame &Frame)
      : MachineFunctionPass(ID), Files(Files), Frame(Frame) {}
  StringRef getPassName() const override { return "Luthier payload frame"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  void reserve(SIMachineFunctionInfo &Info, MCRegister Reg) const;

  const amdgpu::RegisterFiles &Files;
  const PayloadFrame &Frame;
};
char FramePass::ID = 0;

/// Reserving a register as a whole-wave register is what LLVM offers from
/// outside. It wants single registers.
void FramePass::reserve(SIMachineFunctionInfo &Info, MCRegister Reg) const {
  if (!Reg)
    return;
  const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
  for (unsigned I = Range.First; I < Range.end(); ++I)
    if (Range.File == amdgpu::RegisterFile::SGPR)
      Info.reserveWWMRegister(Files.sgpr(I));
    else if (Range.File == amdgpu::RegisterFile::VGPR)
      Info.reserveWWMRegister(Files.vgpr(I));
}

bool FramePass::runOnMachineFunction(MachineFunction &MF) {
  auto &Info = *MF.getInfo<SIMachineFunctionInfo>();
  for (unsigned I = 0; I < Files.vgprCount(); ++I)
    if (I < Frame.FirstVGPR || I >= Frame.VGPRLimit)
      reserve(Info, Files.vgpr(I));
  for (unsigned I = 0; I < Files.sgprCount(); ++I)
    if (I < Frame.FirstSGPR || I >= Frame.SGPRLimit)
      reserve(Info, Files.sgpr(I));
  // None is ours, and payloads do not spill to them.
  for (unsigned Reg = AMDGPU::AGPR0; Reg <= AMDGPU::AGPR255; ++Reg)
    Info.reserveWWMRegister(Reg);
  for (MCRegister Reg :
       {Frame.VccSave, Frame.ExecSave, Frame.SccSave, Frame.M0Save,
        Frame.ModeSave, Frame.StackPointer, Frame.State, Frame.WorkItemIds})
    reserve(Info, Reg);
  for (MCRegister Reg : Frame.Kept)
    reserve(Info, Reg);
  // The application's own in waves of 32 lanes.
  if (Frame.WaveSize == 32)
    Info.reserveWWMRegister(AMDGPU::VCC_HI);
  Info.setStackPtrOffsetReg(stackPointerOf(Frame));
  Info.setFrameOffsetReg(stackPointerOf(Frame));
  // Nobody calls a payload: it need not avoid what a callee must preserve.
  MF.getRegInfo().setCalleeSavedRegs({});
  MF.getRegInfo().freezeReservedRegs();
  return false;
}

} // namespace

MachineFunctionPass *createFramePass(const amdgpu::MCTarget &Target,
                                     const PayloadFrame &Frame) {
  return new FramePass(Target.registerFiles(), Frame);
}

} // namespace luthier
