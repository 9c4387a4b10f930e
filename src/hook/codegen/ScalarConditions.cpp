// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/ScalarConditions.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "Utils/AMDGPUBaseInfo.h"
#include "hook/codegen/KeptSCC.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {
namespace {

/// Registers of inline assembly, results first.
SmallVector<Register, 4> registersOf(const MachineInstr &Asm) {
  SmallVector<Register, 4> Result;
  for (unsigned I = InlineAsm::MIOp_FirstOperand;
       I < Asm.getNumOperands() && Asm.getOperand(I).isImm();) {
    const InlineAsm::Flag Group(Asm.getOperand(I).getImm());
    if (!Group.isClobberKind())
      Result.push_back(Asm.getOperand(I + 1).getReg());
    I += 1 + Group.getNumOperandRegisters();
  }
  return Result;
}

class ScalarConditions : public MachineFunctionPass {
public:
  static char ID;
  ScalarConditions() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Luthier scalar condition lowering";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  MachineInstrBuilder build(MachineInstr &Where, unsigned Opcode) {
    return BuildMI(*Where.getParent(), Where, Where.getDebugLoc(),
                   TII->get(Opcode));
  }
  Register newScalar() {
    return MRI->createVirtualRegister(
        TII->getRegisterInfo().getRegClass(AMDGPU::SReg_32RegClassID));
  }
  bool is32(Register Reg) const {
    return TII->getRegisterInfo().getRegSizeInBits(*MRI->getRegClass(Reg)) ==
           32;
  }
  bool isZero(const MachineOperand &MO) const;
  void addOperand(MachineInstrBuilder &To, Register Reg);
  void compare64(MachineInstr &Where, CmpInst::Predicate Order, Register A,
                 Register C);
  bool compare(MachineInstr &Where, const MachineInstr &Placeholder,
               CmpInst::Predicate P);
  MachineInstr *onlyTestOf(MachineInstr &Placeholder);
  void lowerCompare(MachineInstr &Placeholder);
  void lowerSelect(MachineInstr &Placeholder);

  const GCNSubtarget *ST = nullptr;
  const SIInstrInfo *TII = nullptr;
  MachineRegisterInfo *MRI = nullptr;
};
char ScalarConditions::ID = 0;

bool isPlaceholder(const MachineInstr &MI, StringRef Text) {
  return MI.getOpcode() == AMDGPU::INLINEASM &&
         StringRef(MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName())
             .starts_with(Text);
}

/// Of 32 bits.
unsigned compareOpcode(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::ICMP_EQ:
    return AMDGPU::S_CMP_EQ_U32;
  case CmpInst::ICMP_NE:
    return AMDGPU::S_CMP_LG_U32;
  case CmpInst::ICMP_UGT:
    return AMDGPU::S_CMP_GT_U32;
  case CmpInst::ICMP_UGE:
    return AMDGPU::S_CMP_GE_U32;
  case CmpInst::ICMP_ULT:
    return AMDGPU::S_CMP_LT_U32;
  case CmpInst::ICMP_ULE:
    return AMDGPU::S_CMP_LE_U32;
  case CmpInst::ICMP_SGT:
    return AMDGPU::S_CMP_GT_I32;
  case CmpInst::ICMP_SGE:
    return AMDGPU::S_CMP_GE_I32;
  case CmpInst::ICMP_SLT:
    return AMDGPU::S_CMP_LT_I32;
  default:
    return AMDGPU::S_CMP_LE_I32;
  }
}

bool ScalarConditions::isZero(const MachineOperand &MO) const {
  if (MO.isImm())
    return MO.getImm() == 0;
  const MachineInstr *Def = MO.isReg() && MO.getReg().isVirtual()
                                ? MRI->getUniqueVRegDef(MO.getReg())
                                : nullptr;
  return Def && Def->getOpcode() == AMDGPU::S_MOV_B32 &&
         Def->getOperand(1).isImm() && Def->getOperand(1).getImm() == 0;
}

/// \p Reg, or the constant that it is.
void ScalarConditions::addOperand(MachineInstrBuilder &To, Register Reg) {
  const MachineInstr *Def = MRI->getUniqueVRegDef(Reg);
  if (Def && Def->getOpcode() == AMDGPU::S_MOV_B32 &&
      Def->getOperand(1).isImm() &&
      AMDGPU::isInlinableIntLiteral(Def->getOperand(1).getImm()))
    To.addImm(Def->getOperand(1).getImm());
  else
    To.addReg(Reg);
}

/// Sets SCC to whether \p A is less than \p C, as a borrow:
///   s_sub_u32  s0, a_lo, c_lo
///   s_subb_u32 s1, a_hi, c_hi
/// With signs, both get 2^63 added first.
void ScalarConditions::compare64(MachineInstr &Where, CmpInst::Predicate Order,
                                 Register A, Register C) {
  auto high = [&](Register Of) {
    Register High = newScalar();
    build(Where, AMDGPU::COPY).addDef(High).addReg(Of, {}, AMDGPU::sub1);
    if (!CmpInst::isSigned(Order))
      return High;
    Register Moved = newScalar();
    build(Where, AMDGPU::S_XOR_B32)
        .addDef(Moved)
        .addReg(High)
        .addImm(int64_t(INT32_MIN));
    return Moved;
  };
  auto low = [&](Register Of) {
    Register Low = newScalar();
    build(Where, AMDGPU::COPY).addDef(Low).addReg(Of, {}, AMDGPU::sub0);
    return Low;
  };
  Register HighA = high(A), HighC = high(C), LowA = low(A), LowC = low(C);
  build(Where, AMDGPU::S_SUB_U32).addDef(newScalar()).addReg(LowA).addReg(LowC);
  build(Where, AMDGPU::S_SUBB_U32)
      .addDef(newScalar())
      .addReg(HighA)
      .addReg(HighC);
}

/// Sets SCC before \p Where to what \p Placeholder compares, or to its opposite
/// if it returns false.
bool ScalarConditions::compare(MachineInstr &Where,
                               const MachineInstr &Placeholder,
                               CmpInst::Predicate P) {
  const SmallVector<Register, 4> Regs = registersOf(Placeholder);
  const Register A = Regs[1], C = Regs[2];
  if (TII->getRegisterInfo().getRegSizeInBits(*MRI->getRegClass(A)) == 32) {
    auto Compare = build(Where, compareOpcode(P));
    addOperand(Compare, A);
    addOperand(Compare, C);
    return true;
  }
  switch (P) {
  case CmpInst::ICMP_EQ:
  case CmpInst::ICMP_NE:
    build(Where,
          P == CmpInst::ICMP_EQ ? AMDGPU::S_CMP_EQ_U64 : AMDGPU::S_CMP_LG_U64)
        .addReg(A)
        .addReg(C);
    return true;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
    compare64(Where, P, C, A);
    return true;
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
    compare64(Where, P, C, A);
    return false;
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SGE:
    compare64(Where, P, A, C);
    return false;
  default:
    compare64(Where, P, A, C);
    return true;
  }
}

/// The test for zero, in the same block, that is all that \p Placeholder is
/// for.
MachineInstr *ScalarConditions::onlyTestOf(MachineInstr &Placeholder) {
  const Register Result = registersOf(Placeholder).front();
  if (!MRI->hasOneNonDBGUse(Result))
    return nullptr;
  MachineInstr &User = *MRI->use_instr_nodbg_begin(Result);
  const bool IsTest = User.getOpcode() == AMDGPU::S_CMP_LG_U32 ||
                      User.getOpcode() == AMDGPU::S_CMP_EQ_U32;
  return IsTest && User.getOperand(0).isReg() &&
                 User.getOperand(0).getReg() == Result &&
                 isZero(User.getOperand(1)) &&
                 User.getParent() == Placeholder.getParent()
             ? &User
             : nullptr;
}

CmpInst::Predicate predicateOf(const MachineInstr &Placeholder) {
  StringRef Text =
      Placeholder.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  unsigned Number = 0;
  Text.drop_front(ComparePlaceholder.size()).getAsInteger(10, Number);
  return CmpInst::Predicate(Number);
}

void ScalarConditions::lowerCompare(MachineInstr &Placeholder) {
  const CmpInst::Predicate P = predicateOf(Placeholder);
  if (MachineInstr *Test = onlyTestOf(Placeholder)) {
    const auto Tested = Test->getOpcode() == AMDGPU::S_CMP_EQ_U32
                            ? CmpInst::getInversePredicate(P)
                            : P;
    // Of 64 bits, there are only a borrow and its opposite.
    if (is32(registersOf(Placeholder)[1]) || ICmpInst::isEquality(P) ||
        CmpInst::isStrictPredicate(Tested)) {
      compare(*Test, Placeholder, Tested);
      Test->eraseFromParent();
      Placeholder.eraseFromParent();
      return;
    }
  }
  {
    const KeptSCC Scope(Placeholder, *ST);
    const bool Holds = compare(Placeholder, Placeholder, P);
    build(Placeholder, AMDGPU::S_CSELECT_B32)
        .addDef(registersOf(Placeholder).front())
        .addImm(Holds)
        .addImm(!Holds);
  }
  Placeholder.eraseFromParent();
}

void ScalarConditions::lowerSelect(MachineInstr &Placeholder) {
  const SmallVector<Register, 4> Regs = registersOf(Placeholder);
  const bool IsWide =
      TII->getRegisterInfo().getRegSizeInBits(*MRI->getRegClass(Regs[0])) == 64;
  {
    const KeptSCC Scope(Placeholder, *ST);
    build(Placeholder, AMDGPU::S_CMP_LG_U32).addReg(Regs[1]).addImm(0);
    build(Placeholder, IsWide ? AMDGPU::S_CSELECT_B64 : AMDGPU::S_CSELECT_B32)
        .addDef(Regs[0])
        .addReg(Regs[2])
        .addReg(Regs[3]);
  }
  Placeholder.eraseFromParent();
}

bool ScalarConditions::runOnMachineFunction(MachineFunction &MF) {
  ST = &MF.getSubtarget<GCNSubtarget>();
  TII = ST->getInstrInfo();
  MRI = &MF.getRegInfo();
  // Choices first: comparisons that are only for one become part of it.
  SmallVector<MachineInstr *, 8> Compares, Selects;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (isPlaceholder(MI, ComparePlaceholder))
        Compares.push_back(&MI);
      else if (isPlaceholder(MI, SelectPlaceholder))
        Selects.push_back(&MI);
  for (MachineInstr *Placeholder : Selects)
    lowerSelect(*Placeholder);
  for (MachineInstr *Placeholder : Compares)
    lowerCompare(*Placeholder);
  return !Compares.empty() || !Selects.empty();
}

} // namespace

Pass *createScalarConditionPass(PassContext &) { return new ScalarConditions; }

} // namespace luthier
