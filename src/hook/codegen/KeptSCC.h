// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placeholders do not say that what takes their place changes SCC: LLVM would
// look "scc" up among the names of all registers of all classes, for each
// placeholder, which takes it longer than all else about one. So selection may
// have put one between a comparison and what reads it, which then goes around
// the instructions in a register.
#ifndef LUTHIER_HOOK_CODEGEN_KEPTSCC_H
#define LUTHIER_HOOK_CODEGEN_KEPTSCC_H

#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {
class GCNSubtarget;
}

namespace luthier {

class KeptSCC {
public:
  /// Keeps SCC in front of \p Placeholder if it is read behind it.
  KeptSCC(llvm::MachineInstr &Placeholder, const llvm::GCNSubtarget &ST);
  KeptSCC(const KeptSCC &) = delete;
  /// Sets it again, behind all that was put in front of the placeholder.
  ~KeptSCC();

private:
  llvm::MachineInstr &Placeholder;
  const llvm::GCNSubtarget &ST;
  llvm::Register Kept;
};

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_KEPTSCC_H
