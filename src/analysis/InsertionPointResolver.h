// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a tool asks for, such as "at each exit of this function", to the
// insertion points that it comes down to.
#ifndef LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H
#define LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H

#include "analysis/InsertionLegality.h"
#include "analysis/InsertionPoint.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier {

/// One of the points that a request comes down to.
struct ResolvedInsertion {
  InsertionPoint Where;
  /// That the request is about; null for edges and entries.
  const llvm::MachineInstr *Instruction = nullptr;
  /// It has run already where the hook runs.
  bool IsAfter = false;
};

class InsertionPointResolver {
public:
  explicit InsertionPointResolver(const LiftedRepresentation &LR);

  /// Where the hook of \p I is to run: at more than one point for requests such
  /// as exits, at none if control never gets there. Refuses with
  /// NoInsertionPoint.
  llvm::Expected<llvm::SmallVector<ResolvedInsertion, 1>>
  resolve(const detail::InsertionRequest &I) const;

private:
  using Points = llvm::SmallVectorImpl<ResolvedInsertion>;
  bool leavesFunction(const llvm::MachineInstr &MI) const;
  bool becomesBranch(const llvm::MachineInstr &MI) const;
  llvm::Error find(const detail::InsertionRequest &I, Points &Result) const;
  llvm::Error before(const llvm::MachineInstr &MI, Points &Result) const;
  llvm::Error after(const llvm::MachineInstr &MI, Points &Result) const;
  llvm::Error blockEnd(const llvm::MachineBasicBlock &MBB,
                       Points &Result) const;
  llvm::Error leaving(const llvm::MachineInstr &MI, Points &Result) const;
  llvm::Error edge(const llvm::MachineBasicBlock &From,
                   const llvm::MachineBasicBlock &To, Points &Result) const;
  /// Before each instruction of \p MF that \p Leaves holds of.
  llvm::Error
  beforeEach(const llvm::MachineFunction &MF,
             llvm::function_ref<bool(const llvm::MachineInstr &)> Leaves,
             Points &Result) const;
  llvm::Error waveEnd(const llvm::MachineFunction &MF, Points &Result) const;

  llvm::Error checkIsThere(const detail::InsertionRequest &I) const;

  const LiftedRepresentation &LR;
  InsertionLegality Legal;
  /// All functions, blocks and instructions, by address: of what a tool has
  /// erased, a request has nothing else.
  llvm::DenseSet<const void *> Parts;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INSERTIONPOINTRESOLVER_H
