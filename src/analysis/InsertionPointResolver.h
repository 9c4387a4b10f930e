// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three kinds of places that code can be put at, to which every point of a
// task comes down.
#ifndef LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H
#define LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H

#include "analysis/InsertionLegality.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include <utility>

namespace luthier {

/// In front of an instruction, wherever control comes from; between two blocks;
/// or where a function is entered from outside.
struct Place {
  enum class Kind { Before, Edge, Entry };
  Kind K = Kind::Before;
  const llvm::MachineInstr *MI = nullptr;
  const llvm::MachineBasicBlock *From = nullptr, *To = nullptr;
  const llvm::MachineFunction *MF = nullptr;

  static Place before(const llvm::MachineInstr &MI) {
    Place P;
    P.MI = &MI;
    return P;
  }
  static Place edge(const llvm::MachineBasicBlock &From,
                    const llvm::MachineBasicBlock &To) {
    Place P;
    P.K = Kind::Edge;
    P.From = &From;
    P.To = &To;
    return P;
  }
  static Place entry(const llvm::MachineFunction &MF) {
    Place P;
    P.K = Kind::Entry;
    P.MF = &MF;
    return P;
  }

  /// Equal for equal places only; can be hashed.
  std::pair<const void *, const void *> key() const {
    switch (K) {
    case Kind::Before:
      return {MI, nullptr};
    case Kind::Edge:
      return {From, To};
    case Kind::Entry:
      return {nullptr, MF};
    }
    llvm_unreachable("every kind of place is handled");
  }
  friend bool operator==(const Place &A, const Place &B) {
    return A.key() == B.key();
  }
};

/// A point at its place.
struct PlacedPoint {
  Place Where;
  /// That the point is about; null for edges and entries.
  const llvm::MachineInstr *Instruction = nullptr;
  /// It has run already where the hook runs.
  bool IsAfter = false;
};

class PlaceFinder {
public:
  explicit PlaceFinder(const LiftedRepresentation &LR)
      : LR(LR), Legal(InsertionPoints::run(LR)) {}

  /// Where the hook of \p I is to run; more than one place for points such as
  /// exits, none if control never gets there. Refuses with NoInsertionPoint.
  llvm::Expected<llvm::SmallVector<PlacedPoint, 1>>
  find(const InstrumentationTask::Insertion &I) const;

private:
  using Points = llvm::SmallVectorImpl<PlacedPoint>;
  bool leavesFunction(const llvm::MachineInstr &MI) const;
  bool becomesBranch(const llvm::MachineInstr &MI) const;
  llvm::Error find(const InstrumentationTask::Insertion &I,
                   Points &Result) const;
  llvm::Error before(const llvm::MachineInstr &MI, Points &Result) const;
  llvm::Error after(const llvm::MachineInstr &MI, Points &Result) const;
  llvm::Error blockEnd(const llvm::MachineBasicBlock &MBB,
                       Points &Result) const;
  llvm::Error edge(const llvm::MachineBasicBlock &From,
                   const llvm::MachineBasicBlock &To, Points &Result) const;
  /// Before each instruction of \p MF that \p Leaves holds of.
  llvm::Error
  beforeEach(const llvm::MachineFunction &MF,
             llvm::function_ref<bool(const llvm::MachineInstr &)> Leaves,
             Points &Result) const;
  llvm::Error waveEnd(const llvm::MachineFunction &MF, Points &Result) const;

  const LiftedRepresentation &LR;
  InsertionPoints Legal;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H
