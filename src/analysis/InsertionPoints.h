// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code may be inserted. Some instructions form groups that must stay
// together; a hook inside such a group runs before the group.
#ifndef LUTHIER_ANALYSIS_INSERTIONPOINTS_H
#define LUTHIER_ANALYSIS_INSERTIONPOINTS_H

#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace luthier {

class InsertionPoints {
public:
  static InsertionPoints run(const LiftedRepresentation &LR);

  /// The nearest legal instruction at or before \p MI to insert in front of. It
  /// is reached exactly as often as \p MI and with the same EXEC. Refuses with
  /// NoInsertionPoint where there is none.
  llvm::Expected<const llvm::MachineInstr *>
  anchorOf(const llvm::MachineInstr &MI) const;

private:
  /// Null for instructions without any legal place.
  llvm::DenseMap<const llvm::MachineInstr *, const llvm::MachineInstr *>
      Anchors;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INSERTIONPOINTS_H
