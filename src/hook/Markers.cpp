// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/Markers.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "SIInstrInfo.h"
#include "hook/ir/WaveEffects.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

static constexpr StringLiteral ReadLane = "luthier::readLane";
static constexpr StringLiteral WorkItemIds = "luthier::workItemIds";
static constexpr StringLiteral ReadAperture = "luthier::readAperture";
/// Followed by the name of the variable.
static constexpr StringLiteral AddressLo = "luthier::addressLo ";
static constexpr StringLiteral AddressHi = "luthier::addressHi ";

static Value *createMarker(IRBuilderBase &B, const Twine &Text, Type *Result,
                           ArrayRef<Value *> Operands, StringRef Constraints,
                           bool HasSideEffects) {
  SmallVector<Type *, 2> Types;
  for (Value *Operand : Operands)
    Types.push_back(Operand->getType());
  auto *FT = FunctionType::get(Result, Types, false);
  return B.CreateCall(
      InlineAsm::get(FT, Text.str(), Constraints, HasSideEffects), Operands);
}

Value *readConstantLane(IRBuilderBase &B, unsigned Lane) {
  return createMarker(B, ReadLane, B.getInt32Ty(), B.getInt32(Lane), "=s,i",
                      false);
}

Value *readLane(IRBuilderBase &B, unsigned Lane) {
  return createMarker(B, ReadLane, B.getInt32Ty(), B.getInt32(Lane), "=s,i",
                      true);
}

void writeLane(IRBuilderBase &B, unsigned Lane, Value *Bits) {
  createMarker(B, WriteLaneMarker, B.getVoidTy(), {Bits, B.getInt32(Lane)},
               "s,i", true);
}

Value *readWorkItemIds(IRBuilderBase &B) {
  return createMarker(B, WorkItemIds, B.getInt32Ty(), {}, "=v", false);
}

Value *readAperture(IRBuilderBase &B, MCRegister Reg) {
  return createMarker(B, ReadAperture, B.getInt64Ty(), B.getInt32(Reg.id()),
                      "=s,i", false);
}

Value *addressHalf(IRBuilderBase &B, GlobalVariable &Variable,
                   Fixup::FixupKind Half) {
  return createMarker(
      B, (Half == Fixup::Abs32Lo ? AddressLo : AddressHi) + Variable.getName(),
      B.getInt32Ty(), {}, "=s", false);
}

bool isWaveEffect(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  if (!Asm)
    return false;
  if (isa<CallBrInst>(I) || Asm->getAsmString() == WriteLaneMarker)
    return true;
  // Scalar registers of the application, written by name.
  StringRef Constraints = Asm->getConstraintString();
  return Asm->getAsmString().empty() && Constraints.consume_front("{") &&
         !((Constraints[0] == 'v' || Constraints[0] == 'a') &&
           isDigit(Constraints[1]));
}

namespace {

class MarkerLowering : public MachineFunctionPass {
public:
  static char ID;
  explicit MarkerLowering(const PayloadFrame &Frame)
      : MachineFunctionPass(ID), Frame(Frame) {}
  StringRef getPassName() const override { return "Luthier marker lowering"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool lower(MachineInstr &MI, StringRef Text);

  const PayloadFrame &Frame;
  const SIInstrInfo *TII = nullptr;
};
char MarkerLowering::ID = 0;

/// The only register and the only immediate of a marker.
struct MarkerOperands {
  Register Reg;
  int64_t Imm = 0;
};

MarkerOperands operandsOf(const MachineInstr &MI) {
  MarkerOperands Result;
  unsigned I = InlineAsm::MIOp_FirstOperand;
  while (I < MI.getNumOperands() && MI.getOperand(I).isImm()) {
    const InlineAsm::Flag Group(MI.getOperand(I).getImm());
    const MachineOperand &Operand = MI.getOperand(I + 1);
    if (Operand.isReg())
      Result.Reg = Operand.getReg();
    else if (Operand.isImm())
      Result.Imm = Operand.getImm();
    I += 1 + Group.getNumOperandRegisters();
  }
  return Result;
}

bool MarkerLowering::lower(MachineInstr &MI, StringRef Text) {
  MachineBasicBlock &MBB = *MI.getParent();
  const DebugLoc &DL = MI.getDebugLoc();
  const MarkerOperands Operands = operandsOf(MI);
  if (Text == ReadLane) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_READLANE_B32), Operands.Reg)
        .addReg(Frame.State)
        .addImm(Operands.Imm);
  } else if (Text == WriteLaneMarker) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_WRITELANE_B32), Frame.State)
        .addReg(Operands.Reg)
        .addImm(Operands.Imm)
        .addReg(Frame.State);
  } else if (Text == WorkItemIds) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_MOV_B32_e32), Operands.Reg)
        .addReg(Frame.WorkItemIds);
  } else if (Text == ReadAperture) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::S_MOV_B64), Operands.Reg)
        .addReg(unsigned(Operands.Imm));
  } else {
    const bool IsLow = Text.consume_front(AddressLo);
    if (!IsLow && !Text.consume_front(AddressHi))
      return false;
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::S_MOV_B32), Operands.Reg)
        .addGlobalAddress(
            MBB.getParent()->getFunction().getParent()->getNamedGlobal(Text), 0,
            IsLow ? SIInstrInfo::MO_ABS32_LO : SIInstrInfo::MO_ABS32_HI);
  }
  return true;
}

bool MarkerLowering::runOnMachineFunction(MachineFunction &MF) {
  TII = MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (MI.getOpcode() == AMDGPU::INLINEASM &&
          lower(MI, MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName())) {
        MI.eraseFromParent();
        Changed = true;
      }
  return Changed;
}

} // namespace

MachineFunctionPass *createMarkerPass(const PayloadFrame &Frame) {
  return new MarkerLowering(Frame);
}

} // namespace luthier
