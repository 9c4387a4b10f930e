// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers hold active lanes, or some of them:
//   s_mov_b64 s[4:5], exec
//   s_and_b64 s[6:7], s[4:5], vcc
//   s_mov_b64 exec, s[6:7]
// is how compilers that do not optimise take lanes out of EXEC.
#ifndef BRANCH_DIVERGENCE_ACTIVELANES_H
#define BRANCH_DIVERGENCE_ACTIVELANES_H

#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <string>

inline bool isExec(const llvm::MachineOperand &Operand) {
  return Operand.isReg() && (Operand.getReg() == llvm::AMDGPU::EXEC ||
                             Operand.getReg() == llvm::AMDGPU::EXEC_LO);
}

/// In a block, with what is seen there: of a register that was written
/// elsewhere, or in front of what changes EXEC, nothing is known.
class ActiveLanes {
public:
  /// In waves of \p WaveSize lanes.
  explicit ActiveLanes(unsigned WaveSize)
      : Suffix(WaveSize == 32 ? "_b32" : "_b64") {}

  /// \p Operand of \p MI is EXEC, or a copy of it.
  bool isAll(const llvm::MachineOperand &Operand,
             const llvm::MachineInstr &MI) const {
    if (isExec(Operand))
      return true;
    const llvm::MachineInstr *Copy = writerOf(Operand, MI);
    return Copy && is(*Copy, "s_mov") && isExec(Copy->getOperand(1));
  }

  /// \p Operand of \p MI has lanes of EXEC, chosen by a condition.
  bool isPart(const llvm::MachineOperand &Operand,
              const llvm::MachineInstr &MI) const {
    const llvm::MachineInstr *By = writerOf(Operand, MI);
    if (!By)
      return false;
    // Inactive lanes have a zero in the result.
    if (luthier::mnemonicOf(*By).starts_with("v_cmp_"))
      return true;
    return (is(*By, "s_and") &&
            (isAll(By->getOperand(1), *By) || isAll(By->getOperand(2), *By))) ||
           (isAndNot(*By) && isAll(By->getOperand(1), *By));
  }

  /// \p MI is operation \p Name on masks of a wave.
  bool is(const llvm::MachineInstr &MI, const char *Name) const {
    return luthier::mnemonicOf(MI) == Name + Suffix;
  }
  /// `A & ~B`, by either of its names.
  bool isAndNot(const llvm::MachineInstr &MI) const {
    return is(MI, "s_andn2") || is(MI, "s_and_not1");
  }

private:
  static const llvm::MachineInstr *writerOf(const llvm::MachineOperand &Operand,
                                            const llvm::MachineInstr &MI) {
    if (!Operand.isReg() || !Operand.getReg())
      return nullptr;
    const llvm::Register Reg = Operand.getReg();
    const auto *TRI = MI.getMF()->getSubtarget().getRegisterInfo();
    for (auto I = std::next(MI.getReverseIterator()),
              End = MI.getParent()->instr_rend();
         I != End; ++I) {
      if (I->modifiesRegister(Reg, TRI))
        return I->definesRegister(Reg, TRI) ? &*I : nullptr;
      if (I->isCall() || I->modifiesRegister(llvm::AMDGPU::EXEC, TRI))
        return nullptr;
    }
    return nullptr;
  }

  const std::string Suffix;
};

#endif // BRANCH_DIVERGENCE_ACTIVELANES_H
