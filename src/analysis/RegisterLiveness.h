// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where inserted code may overwrite one scalar register or flag.
#ifndef LUTHIER_ANALYSIS_REGISTERLIVENESS_H
#define LUTHIER_ANALYSIS_REGISTERLIVENESS_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/MC/MCRegister.h"

namespace llvm {
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

/// Instructions before which a register's value is still needed.
class RegisterLiveness {
public:
  /// For SCC, VCC and other registers that belong to the wave: a write of all
  /// of \p Reg ends its old value whatever EXEC is. Not for vector registers.
  static RegisterLiveness run(const llvm::MachineFunction &MF,
                              llvm::MCRegister Reg);

  bool isLiveBefore(const llvm::MachineInstr &MI) const {
    return LiveBefore.contains(&MI);
  }

private:
  llvm::DenseSet<const llvm::MachineInstr *> LiveBefore;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_REGISTERLIVENESS_H
