// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_HOOK_CODEGEN_PLACEHOLDEROPERANDS_H
#define LUTHIER_HOOK_CODEGEN_PLACEHOLDEROPERANDS_H

#include "hook/ir/Placeholders.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/IR/InlineAsm.h"

namespace luthier {

/// The only register and the only immediate of a placeholder.
struct PlaceholderOperands {
  llvm::Register Reg;
  int64_t Imm = 0;
};

inline PlaceholderOperands placeholderOperands(const llvm::MachineInstr &MI) {
  PlaceholderOperands Result;
  unsigned I = llvm::InlineAsm::MIOp_FirstOperand;
  while (I < MI.getNumOperands() && MI.getOperand(I).isImm()) {
    const llvm::InlineAsm::Flag Group(MI.getOperand(I).getImm());
    const llvm::MachineOperand &Operand = MI.getOperand(I + 1);
    if (Operand.isReg())
      Result.Reg = Operand.getReg();
    else if (Operand.isImm())
      Result.Imm = Operand.getImm();
    I += 1 + Group.getNumOperandRegisters();
  }
  return Result;
}

/// An EXEC write, at the end of its block.
inline bool isExecWrite(const llvm::MachineInstr &MI) {
  return MI.getOpcode() == llvm::TargetOpcode::INLINEASM_BR &&
         MI.getOperand(llvm::InlineAsm::MIOp_AsmString).getSymbolName() ==
             WriteExecPlaceholder;
}

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PLACEHOLDEROPERANDS_H
