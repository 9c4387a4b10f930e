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
  void keepNames(SIMachineFunctionInfo &Info) const;

  PassContext &C;
  const amdgpu::RegisterFiles &Files = C.Target.registerFiles();
  const PayloadABI &ABI = C.ABI;
};
char PayloadRegisters::ID = 0;

/// Reserving a register as a whole-wave register is what LLVM offers from
/// outside. Whenever somebody asks what is reserved, it goes through all that
/// overlaps each of these, so there are few of them: the widest, where they
/// fit.
///
/// Vector registers that are reserved alone are not safe there: see
/// keepNames(). So pairs are reserved, if need be overlapping ones.
void PayloadRegisters::reserve(SIMachineFunctionInfo &Info,
                               amdgpu::RegisterRange Range) const {
  constexpr unsigned Many = amdgpu::RegisterFiles::Widest;
  for (unsigned I = Range.First; I < Range.end();) {
    if (I % Many == 0 && I + Many <= Range.end()) {
      Info.reserveWWMRegister(Files.widest(Range.File, I));
      I += Many;
      continue;
    }
    const bool IsLast = I + 1 == Range.end();
    const unsigned First = IsLast && I > Range.First ? I - 1 : I;
    const MCRegister Pair =
        First + 2 <= Range.end() ? Files.pair(Range.File, First) : MCRegister();
    Info.reserveWWMRegister(Pair ? Pair : Files.single(Range.File, I));
    // On to an even one, from which there are wide ones.
    I += Pair && !IsLast && I % 2 == 0 ? 2 : 1;
  }
}

/// LLVM spills scalars to vector registers that it reserves one by one, too. In
/// the end it renames all such registers, the highest first, as long as there
/// is a lower one that nobody uses. What the application or Luthier has between
/// the payload's registers must keep its name: registers that nobody has, above
/// all of these, take the free ones first.
void PayloadRegisters::keepNames(SIMachineFunctionInfo &Info) const {
  const unsigned Window = ABI.VGPRLimit - ABI.FirstVGPR;
  const unsigned End = Files.count(amdgpu::RegisterFile::VGPR);
  assert(ABI.VGPRLimit + Window <= End && "a target has half of them at most");
  for (unsigned I = End - Window; I < End; ++I)
    Info.reserveWWMRegister(Files.vgpr(I));
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
  // Between these are the payload's own, but for some.
  bool HasVectorWithin = false;
  auto reserveIfWithin = [&](MCRegister Reg) {
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    const bool IsVector = Range.File == VGPR;
    if (Range.File == None ||
        Range.First >= (IsVector ? ABI.VGPRLimit : ABI.SGPRLimit) ||
        Range.end() <= (IsVector ? ABI.FirstVGPR : ABI.FirstSGPR))
      return;
    reserve(Info, Range);
    HasVectorWithin |= IsVector;
  };
  for (MCRegister Reg :
       {ABI.VccSave, ABI.ExecSave, ABI.SccSave, ABI.M0Save, ABI.ModeSave,
        ABI.StackPointer, ABI.State, ABI.WorkItemIds})
    reserveIfWithin(Reg);
  for (MCRegister Reg : ABI.Kept)
    reserveIfWithin(Reg);
  if (HasVectorWithin)
    keepNames(Info);
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
