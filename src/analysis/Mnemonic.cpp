// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Mnemonic.h"
#include "amdgpu/MCTarget.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"

using namespace llvm;

namespace luthier {

std::string mnemonicOf(const MachineInstr &MI) {
  const TargetSubtargetInfo &ST = MI.getMF()->getSubtarget();
  Expected<const amdgpu::MCTarget &> Target =
      amdgpu::MCTarget::get(ST.getCPU(), "");
  if (!Target) { // A machine function that no lifting made.
    consumeError(Target.takeError());
    return "";
  }
  std::unique_ptr<MCInstPrinter> Printer(Target->target().createMCInstPrinter(
      Target->triple(), 0, Target->asmInfo(), Target->instructions(),
      Target->registers()));
  MCInst Inst;
  Inst.setOpcode(
      Target->opcodes().realOpcode(MI.getOpcode()).value_or(MI.getOpcode()));
  const char *Text = Printer->getMnemonic(Inst).first;
  StringRef Name = StringRef(Text ? Text : "");
  Name = Name.take_until([](char C) { return C == ' ' || C == '\t'; });
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (StringRef Suffix : {"_e32", "_e64", "_dpp", "_dpp8", "_sdwa"})
      Changed |= Name.consume_back(Suffix);
  }
  return Name.str();
}

} // namespace luthier
