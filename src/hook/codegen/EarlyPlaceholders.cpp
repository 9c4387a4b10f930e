// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/EarlyPlaceholders.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "SIInstrInfo.h"
#include "amdgpu/RegisterFiles.h"
#include "hook/codegen/KeptSCC.h"
#include "hook/codegen/PlaceholderOperands.h"
#include "hook/ir/Placeholders.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {
namespace {

class EarlyPlaceholders : public MachineFunctionPass {
public:
  static char ID;
  explicit EarlyPlaceholders(const amdgpu::RegisterFiles &Files)
      : MachineFunctionPass(ID), Files(Files) {}
  StringRef getPassName() const override {
    return "Luthier early placeholders";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool lower(MachineInstr &MI);
  void add(MachineInstr &MI, bool IsWide);
  void addToCounter(MachineInstr &MI, const PlaceholderOperands &Operands);
  void addToWideCounter(MachineInstr &MI, const PlaceholderOperands &Operands);
  void addHalves(MachineInstr &MI, unsigned First, Register Number);
  void setHalfCounter(MachineInstr &MI, const PlaceholderOperands &Operands);
  void addLow(MachineInstr &MI, const PlaceholderOperands &Operands);

  const amdgpu::RegisterFiles &Files;
  const GCNSubtarget *ST = nullptr;
};
char EarlyPlaceholders::ID = 0;

/// Half of a number of 64 bits: what it is made of, as far as that shows.
MachineOperand halfOf(Register Number, bool IsHigh,
                      const MachineRegisterInfo &MRI) {
  const MachineInstr *Def = MRI.getUniqueVRegDef(Number);
  while (Def && Def->isFullCopy() && Def->getOperand(1).getReg().isVirtual()) {
    Number = Def->getOperand(1).getReg();
    Def = MRI.getUniqueVRegDef(Number);
  }
  const unsigned Half = IsHigh ? AMDGPU::sub1 : AMDGPU::sub0;
  if (Def && Def->getOpcode() == AMDGPU::REG_SEQUENCE)
    for (unsigned I = 1; I + 1 < Def->getNumOperands(); I += 2)
      if (unsigned(Def->getOperand(I + 1).getImm()) == Half) {
        const MachineOperand &Part = Def->getOperand(I);
        return MachineOperand::CreateReg(
            Part.getReg(), /*isDef=*/false, /*isImp=*/false, /*isKill=*/false,
            /*isDead=*/false, /*isUndef=*/false, /*isEarlyClobber=*/false,
            Part.getSubReg());
      }
  const bool IsNumber = Def && Def->isMoveImmediate() &&
                        Def->getNumExplicitOperands() == 2 &&
                        Def->getOperand(1).isImm();
  if (IsNumber) {
    const uint64_t Bits = Def->getOperand(1).getImm();
    return MachineOperand::CreateImm(int32_t(IsHigh ? Bits >> 32 : Bits));
  }
  return MachineOperand::CreateReg(
      Number, /*isDef=*/false, /*isImp=*/false, /*isKill=*/false,
      /*isDead=*/false, /*isUndef=*/false, /*isEarlyClobber=*/false, Half);
}

/// What computes \p Reg, past copies.
MachineInstr *definition(Register Reg, const MachineRegisterInfo &MRI) {
  MachineInstr *Def = MRI.getUniqueVRegDef(Reg);
  while (Def && Def->isFullCopy() && Def->getOperand(1).getReg().isVirtual())
    Def = MRI.getUniqueVRegDef(Def->getOperand(1).getReg());
  return Def;
}

std::optional<int64_t> constantOf(const MachineOperand &MO,
                                  const MachineRegisterInfo &MRI) {
  if (MO.isImm())
    return MO.getImm();
  const MachineInstr *Def = MO.isReg() && MO.getReg().isVirtual()
                                ? definition(MO.getReg(), MRI)
                                : nullptr;
  if (Def && Def->isMoveImmediate() && Def->getOperand(1).isImm())
    return Def->getOperand(1).getImm();
  return std::nullopt;
}

/// By s_lshl2_add_u32 and its like if the number is a shifted one.
void EarlyPlaceholders::addLow(MachineInstr &MI,
                               const PlaceholderOperands &Operands) {
  MachineRegisterInfo &MRI = MI.getMF()->getRegInfo();
  const MCRegister Counter = Files.sgpr(unsigned(Operands.Imm));
  constexpr unsigned ShiftAndAdd[] = {
      AMDGPU::S_LSHL1_ADD_U32, AMDGPU::S_LSHL2_ADD_U32, AMDGPU::S_LSHL3_ADD_U32,
      AMDGPU::S_LSHL4_ADD_U32};
  unsigned Opcode = AMDGPU::S_ADD_U32;
  MachineOperand Number =
      MachineOperand::CreateReg(Operands.Reg, /*isDef=*/false);
  MachineInstr *Def = definition(Operands.Reg, MRI);
  if (Def && Def->getOpcode() == AMDGPU::S_LSHL_B32)
    if (const auto By = constantOf(Def->getOperand(2), MRI);
        By && *By >= 1 && *By <= 4 && Def->getOperand(1).isReg() &&
        Def->getOperand(1).getReg().isVirtual()) {
      Opcode = ShiftAndAdd[*By - 1];
      Number = Def->getOperand(1);
      Number.setIsKill(false);
      MRI.clearKillFlags(Number.getReg());
    }
  BuildMI(*MI.getParent(), MI, MI.getDebugLoc(),
          ST->getInstrInfo()->get(Opcode), Counter)
      .add(Number)
      .addReg(Counter);
}

void EarlyPlaceholders::addHalves(MachineInstr &MI, unsigned First,
                                  Register Number) {
  MachineBasicBlock &MBB = *MI.getParent();
  const SIInstrInfo &TII = *ST->getInstrInfo();
  const MachineRegisterInfo &MRI = MBB.getParent()->getRegInfo();
  for (const bool IsHigh : {false, true}) {
    const MCRegister Half = Files.sgpr(First + IsHigh);
    BuildMI(MBB, MI, MI.getDebugLoc(),
            TII.get(IsHigh ? AMDGPU::S_ADDC_U32 : AMDGPU::S_ADD_U32), Half)
        .addReg(Half)
        .add(halfOf(Number, IsHigh, MRI));
  }
}

/// A copy, which register allocation joins with what computes the number.
void EarlyPlaceholders::setHalfCounter(MachineInstr &MI,
                                       const PlaceholderOperands &Operands) {
  BuildMI(*MI.getParent(), MI, MI.getDebugLoc(),
          ST->getInstrInfo()->get(AMDGPU::COPY),
          Files.sgpr(unsigned(Operands.Imm)))
      .addReg(Operands.Reg);
}

/// What is carried out of the second half goes on to a third.
void EarlyPlaceholders::addToWideCounter(MachineInstr &MI,
                                         const PlaceholderOperands &Operands) {
  addHalves(MI, Operands.Imm & 0xffff, Operands.Reg);
  const MCRegister Carries = Files.sgpr(unsigned(Operands.Imm >> 16));
  BuildMI(*MI.getParent(), MI, MI.getDebugLoc(),
          ST->getInstrInfo()->get(AMDGPU::S_ADDC_U32), Carries)
      .addReg(Carries)
      .addImm(0);
}

void EarlyPlaceholders::addToCounter(MachineInstr &MI,
                                     const PlaceholderOperands &Operands) {
  MachineBasicBlock &MBB = *MI.getParent();
  const DebugLoc &DL = MI.getDebugLoc();
  const SIInstrInfo &TII = *ST->getInstrInfo();
  const unsigned First = unsigned(Operands.Imm);
  const TargetRegisterInfo &TRI = *ST->getRegisterInfo();
  if (TRI.getRegSizeInBits(Operands.Reg, MBB.getParent()->getRegInfo()) == 32)
    return addLow(MI, Operands);
  if (ST->hasScalarAddSub64()) {
    const MCRegister Counter = Files.sgprPair(First);
    BuildMI(MBB, MI, DL, TII.get(AMDGPU::S_ADD_U64), Counter)
        .addReg(Counter)
        .addReg(Operands.Reg);
    return;
  }
  addHalves(MI, First, Operands.Reg);
}

void EarlyPlaceholders::add(MachineInstr &MI, bool IsWide) {
  const PlaceholderOperands Operands = placeholderOperands(MI);
  const KeptSCC Scope(MI, *ST);
  if (IsWide)
    addToWideCounter(MI, Operands);
  else
    addToCounter(MI, Operands);
}

bool EarlyPlaceholders::lower(MachineInstr &MI) {
  StringRef Text = MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  const PlaceholderOperands Operands = placeholderOperands(MI);
  if (Text == AddCounterPlaceholder || Text == AddWideCounterPlaceholder) {
    add(MI, /*IsWide=*/Text == AddWideCounterPlaceholder);
    return true;
  }
  if (Text == SetHalfCounterPlaceholder) {
    setHalfCounter(MI, Operands);
    return true;
  }
  MachineBasicBlock &MBB = *MI.getParent();
  Module &M = *MBB.getParent()->getFunction().getParent();
  GlobalValue *Symbol;
  unsigned Half = SIInstrInfo::MO_ABS32_LO;
  if (Text == LiteralPlaceholder) {
    Symbol = cast<GlobalValue>(
        M.getOrInsertGlobal(LiteralsName, Type::getInt32Ty(M.getContext())));
  } else if (Text.consume_front(AddressLoPlaceholder)) {
    Symbol = M.getNamedGlobal(Text);
  } else if (Text.consume_front(AddressHiPlaceholder)) {
    Symbol = M.getNamedGlobal(Text);
    Half = SIInstrInfo::MO_ABS32_HI;
  } else {
    return false;
  }
  BuildMI(MBB, MI, MI.getDebugLoc(), ST->getInstrInfo()->get(AMDGPU::S_MOV_B32),
          Operands.Reg)
      .addGlobalAddress(Symbol, Operands.Imm, Half);
  return true;
}

void markExecWrite(MachineInstr &MI) {
  MachineOperand &Extra = MI.getOperand(InlineAsm::MIOp_ExtraInfo);
  Extra.setImm(Extra.getImm() | InlineAsm::Extra_MayLoad |
               InlineAsm::Extra_MayStore);
  MI.addOperand(MachineOperand::CreateReg(AMDGPU::EXEC, /*isDef=*/true,
                                          /*isImp=*/true));
}

bool EarlyPlaceholders::runOnMachineFunction(MachineFunction &MF) {
  ST = &MF.getSubtarget<GCNSubtarget>();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (isExecWrite(MI)) {
        markExecWrite(MI);
        Changed = true;
      } else if (MI.getOpcode() == AMDGPU::INLINEASM && lower(MI)) {
        MI.eraseFromParent();
        Changed = true;
      }
  return Changed;
}

} // namespace

Pass *createEarlyPlaceholderPass(PassContext &C) {
  return new EarlyPlaceholders(C.Target.registerFiles());
}

} // namespace luthier
