// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers the application still needs, at every place. What is not
// live may be overwritten in every lane, active or not.
//
// A vector write changes active lanes only, so each register is followed twice:
// as far as lanes that are active at the place are concerned, and for all other
// lanes. Where EXEC is written the two mix, as far as the kind of write allows.
#ifndef LUTHIER_ANALYSIS_LIVENESS_H
#define LUTHIER_ANALYSIS_LIVENESS_H

#include "analysis/InsertionPoint.h"
#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace luthier {

/// What is read besides by the application's instructions: in lanes of any
/// kind, just before an instruction or where control enters a block.
struct OtherReads {
  llvm::DenseMap<const llvm::MachineInstr *, RegisterSet> Before;
  llvm::DenseMap<const llvm::MachineBasicBlock *, RegisterSet> AtStart;

  /// Code at \p Where reads \p Registers.
  void add(const InsertionPoint &Where, const RegisterSet &Registers);
  bool empty() const { return Before.empty() && AtStart.empty(); }
};

class Liveness {
public:
  static Liveness run(const LiftedRepresentation &LR,
                      const OtherReads &Others = OtherReads());

  /// What code inserted at \p Where must keep.
  const RegisterSet &at(const InsertionPoint &Where) const;

private:
  RegisterSet Everything = RegisterSet::all();
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> Index;
  llvm::DenseMap<const llvm::MachineBasicBlock *, RegisterSet> Starts;
  std::vector<RegisterSet> Sets;
};

/// The code, with what is live before each instruction.
void printLiveness(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_LIVENESS_H
