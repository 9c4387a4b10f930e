// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code in which a wave's active lanes stay the same, however often it is
// executed: what hooks would find out about them there each time, they can find
// out once.
#ifndef LUTHIER_EXECREGIONS_H
#define LUTHIER_EXECREGIONS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace luthier {

/// For instance the loops behind `if (i >= n) return;`, as far as what they run
/// is the same for all lanes.
struct ExecRegion {
  /// A wave comes here once at most, and not to the others without it.
  llvm::MachineInstr *Begin;
  /// They all run with the active lanes that there are before Begin.
  llvm::DenseSet<const llvm::MachineInstr *> Instructions;

  bool contains(const llvm::MachineInstr &MI) const {
    return Instructions.contains(&MI);
  }
};

/// Those that have loops of the kernel in them, what seems to be executed most
/// often first. Loops that change the active lanes without putting them back
/// are in none, nor are functions that the kernel calls.
LUTHIER_API std::vector<ExecRegion> execRegions(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_EXECREGIONS_H
