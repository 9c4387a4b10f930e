// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AnnotatedPrinter.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace luthier {

void printHeading(const LiftedRepresentation &LR, const LiftedSymbol &Symbol,
                  raw_ostream &OS) {
  OS << "# " << (Symbol.IsKernel ? "kernel " : "function ") << Symbol.Name
     << " for " << LR.impl().Object->target().str() << '\n';
}

void printAnnotated(
    const LiftedRepresentation &LR, StringRef Label,
    function_ref<const RegisterSet &(const MachineInstr &)> Before,
    raw_ostream &OS) {
  static const RegisterSet Everything = RegisterSet::all();
  for (const auto &[Symbol, MF] : LR.functions()) {
    printHeading(LR, Symbol, OS);
    for (const MachineBasicBlock &MBB : *MF) {
      OS << "bb." << MBB.getNumber() << ":\n";
      const RegisterSet *Last = nullptr;
      for (const MachineInstr &MI : MBB) {
        const RegisterSet &Set = Before(MI);
        if (!Last || !(*Last == Set)) {
          OS << "  # " << Label << ": ";
          if (Set == Everything)
            OS << "everything\n";
          else
            OS << Set << '\n';
        }
        Last = &Set;
        OS << format_hex_no_prefix(LR.originalAddress(MI).value_or(0), 8)
           << "  ";
        MI.print(OS, /*IsStandalone=*/false);
      }
    }
  }
}

} // namespace luthier
