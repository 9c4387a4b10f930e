// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code may be inserted. Some instructions form groups that must stay
// together, and in some states of the wave inserted code would not do what it
// says: with GPR-index mode on, while vector instructions are skipped, or after
// the wave's vector registers have been given back.
#ifndef LUTHIER_ANALYSIS_INSERTIONLEGALITY_H
#define LUTHIER_ANALYSIS_INSERTIONLEGALITY_H

#include "analysis/InsertionPoint.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"

namespace llvm {
class MachineBasicBlock;
}

namespace luthier {

class InsertionLegality {
public:
  static InsertionLegality run(const LiftedRepresentation &LR);

  /// The nearest legal instruction at or before \p MI to insert in front of. It
  /// is reached exactly as often as \p MI and with the same EXEC. Refuses with
  /// NoInsertionPoint where there is none.
  llvm::Expected<const llvm::MachineInstr *>
  anchorOf(const llvm::MachineInstr &MI) const;

  /// The nearest legal instruction behind \p MI, of the same block, to insert
  /// in front of; likewise reached as often and with the EXEC that \p MI
  /// leaves. Null for the end of the block if it has no terminator. Refuses
  /// with NoInsertionPoint; not for terminators.
  llvm::Expected<const llvm::MachineInstr *>
  anchorAfter(const llvm::MachineInstr &MI) const;

  /// Code may stand at \p Where itself.
  bool isLegal(const InsertionPoint &Where) const;
  /// Code may stand behind the last instruction of \p MBB.
  bool isLegalBehind(const llvm::MachineBasicBlock &MBB) const {
    return !IllegalBehind.contains(&MBB);
  }

  /// Gives back the vector registers of its wave, which may have had them until
  /// then.
  bool deallocatesVGPRs(const llvm::MachineInstr &MI) const {
    return Deallocations.contains(&MI);
  }
  /// Every wave that enters \p MBB has given its vector registers back.
  bool isEnteredDeallocated(const llvm::MachineBasicBlock &MBB) const {
    return EnteredDeallocated.contains(&MBB);
  }

private:
  /// Around an instruction before which nothing may stand: the instructions
  /// before which something may, or null.
  struct Neighbours {
    const llvm::MachineInstr *Earlier = nullptr;
    const llvm::MachineInstr *Later = nullptr;
    bool EndIsLater = false; ///< The block ends before a later one comes.
  };
  class BlockScan;

  llvm::DenseMap<const llvm::MachineInstr *, Neighbours> Illegal;
  llvm::DenseSet<const llvm::MachineBasicBlock *> IllegalBehind;
  llvm::DenseSet<const llvm::MachineBasicBlock *> EnteredDeallocated;
  llvm::DenseSet<const llvm::MachineInstr *> Deallocations;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INSERTIONLEGALITY_H
