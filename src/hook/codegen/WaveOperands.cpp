// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/WaveOperands.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "hook/ir/Placeholders.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {
namespace {

class WaveOperandCheck {
public:
  explicit WaveOperandCheck(const MachineFunction &MF)
      : MF(MF), TII(*MF.getSubtarget<GCNSubtarget>().getInstrInfo()),
        MRI(MF.getRegInfo()) {}
  /// The first instruction that makes it depend on EXEC, or null.
  const MachineInstr *find();
  /// One that asks lanes about a condition that scalar instructions made.
  const MachineInstr *findMask();

private:
  void begin();
  const MachineInstr *trace();
  void add(Register Reg);
  bool isFine(const MachineInstr &MI);
  void addSetterOf(MCRegister Reg, const MachineInstr &User);

  const MachineFunction &MF;
  const SIInstrInfo &TII;
  const MachineRegisterInfo &MRI;
  SmallPtrSet<const MachineInstr *, 32> Seen;
  SmallVector<const MachineInstr *, 16> Work;
};

/// Comparisons, too: they decide whether such operations happen.
bool takesScalars(const MachineInstr &MI) {
  if (!MI.isInlineAsm() && MI.getOpcode() != AMDGPU::INLINEASM_BR)
    return false;
  StringRef Text = MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  return Text == WriteExecPlaceholder || Text == WriteLanePlaceholder ||
         Text == AddCounterPlaceholder || Text == AddWideCounterPlaceholder ||
         Text == SetHalfCounterPlaceholder || Text == SelectPlaceholder ||
         Text.starts_with(ComparePlaceholder);
}

bool sendsMessage(const MachineInstr &MI) {
  return MI.getOpcode() == AMDGPU::S_SENDMSG ||
         MI.getOpcode() == AMDGPU::S_SENDMSGHALT;
}

void WaveOperandCheck::add(Register Reg) {
  if (!Reg.isVirtual())
    return;
  if (const MachineInstr *Def = MRI.getUniqueVRegDef(Reg);
      Def && Seen.insert(Def).second)
    Work.push_back(Def);
}

void WaveOperandCheck::begin() {
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      if (takesScalars(MI)) {
        for (const MachineOperand &MO : MI.uses())
          if (MO.isReg())
            add(MO.getReg());
      } else if (sendsMessage(MI)) {
        addSetterOf(AMDGPU::M0, MI);
      } else if ((MI.isCopy() || MI.getOpcode() == AMDGPU::S_MOV_B32) &&
                 MI.getOperand(0).getReg().isPhysical() &&
                 MI.getOperand(1).isReg() &&
                 TII.getRegisterInfo()
                     .getRegClass(AMDGPU::SGPR_32RegClassID)
                     ->contains(MI.getOperand(0).getReg())) {
        // On its way into a register of the application.
        add(MI.getOperand(1).getReg());
      }
    }
}

/// What sets \p Reg, SCC or M0, for \p User.
void WaveOperandCheck::addSetterOf(MCRegister Reg, const MachineInstr &User) {
  for (const MachineInstr *MI = User.getPrevNode(); MI; MI = MI->getPrevNode())
    if (MI->modifiesRegister(Reg, &TII.getRegisterInfo())) {
      if (Seen.insert(MI).second)
        Work.push_back(MI);
      return;
    }
}

bool WaveOperandCheck::isFine(const MachineInstr &MI) {
  // Registers of the application, and what is pinned: exact as it is.
  if (MI.isInlineAsm()) {
    StringRef Text = MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
    if (Text == SelectPlaceholder || Text.starts_with(ComparePlaceholder))
      for (const MachineOperand &MO : MI.uses())
        if (MO.isReg())
          add(MO.getReg());
    return none_of(MI.all_defs(), [&](const MachineOperand &MO) {
      return MO.getReg().isVirtual() &&
             SIRegisterInfo::hasVectorRegisters(MRI.getRegClass(MO.getReg()));
    });
  }
  for (const MachineOperand &MO : MI.all_defs())
    if (MO.getReg().isVirtual() &&
        SIRegisterInfo::hasVectorRegisters(MRI.getRegClass(MO.getReg())))
      return false;
  const bool IsExecRead = MI.isCopy() || MI.getOpcode() == AMDGPU::S_MOV_B64 ||
                          MI.getOpcode() == AMDGPU::S_MOV_B32;
  if (TII.isVALU(MI))
    return false;
  for (const MachineOperand &MO : MI.uses()) {
    if (!MO.isReg() || !MO.isUse())
      continue;
    // Logic with EXEC is how lanes are asked about a mask of them.
    if (MO.getReg() == AMDGPU::EXEC || MO.getReg() == AMDGPU::EXEC_LO) {
      if (!IsExecRead)
        return false;
    } else if (MO.getReg() == AMDGPU::SCC) {
      addSetterOf(AMDGPU::SCC, MI);
    } else {
      add(MO.getReg());
    }
  }
  return true;
}

const MachineInstr *WaveOperandCheck::find() {
  begin();
  return trace();
}

const MachineInstr *WaveOperandCheck::findMask() {
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      if ((MI.getOpcode() != AMDGPU::S_AND_B64 &&
           MI.getOpcode() != AMDGPU::S_AND_B32) ||
          !any_of(MI.uses(), [](const MachineOperand &MO) {
            return MO.isReg() && (MO.getReg() == AMDGPU::EXEC ||
                                  MO.getReg() == AMDGPU::EXEC_LO);
          }))
        continue;
      Seen.clear();
      Work.clear();
      for (const MachineOperand &MO : MI.uses())
        if (MO.isReg())
          add(MO.getReg());
      if (!trace() && any_of(Seen, [](const MachineInstr *Part) {
            return Part->isCompare();
          }))
        return &MI;
    }
  return nullptr;
}

const MachineInstr *WaveOperandCheck::trace() {
  while (!Work.empty()) {
    const MachineInstr *MI = Work.pop_back_val();
    if (!isFine(*MI))
      return MI;
  }
  return nullptr;
}

class WaveOperands : public MachineFunctionPass {
public:
  static char ID;
  WaveOperands() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Luthier wave operand check";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
};
char WaveOperands::ID = 0;

bool WaveOperands::runOnMachineFunction(MachineFunction &MF) {
  const MachineInstr *Found = WaveOperandCheck(MF).find();
  if (!Found && MF.getFunction().hasFnAttribute(LaneEffectsAttribute))
    Found = WaveOperandCheck(MF).findMask();
  if (!Found)
    return false;
  const auto &TII = *MF.getSubtarget().getInstrInfo();
  std::string Text;
  raw_string_ostream OS(Text);
  OS << MF.getName()
     << ": what an operation of the wave takes would be computed for lanes ("
     << TII.getName(Found->getOpcode());
  if (const DebugLoc &Line = Found->getDebugLoc()) {
    OS << " of ";
    Line.print(OS);
  }
  OS << ')';
  MF.getFunction().getContext().emitError(Text);
  return false;
}

} // namespace

Pass *createWaveOperandPass(PassContext &) { return new WaveOperands; }

} // namespace luthier
