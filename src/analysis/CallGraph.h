// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a lifted kernel call which. The lifter finds out where
// each call goes; this turns it around.
#ifndef LUTHIER_ANALYSIS_CALLGRAPH_H
#define LUTHIER_ANALYSIS_CALLGRAPH_H

#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class raw_ostream;
}

namespace luthier {

class CallGraph {
public:
  using Transfers = llvm::SmallVector<const ControlTransfer *, 2>;

  static CallGraph run(const LiftedRepresentation &LR);

  /// Calls, tail calls, returns and jumps to unknown places of \p MF, in order.
  const Transfers &transfersOf(const llvm::MachineFunction &MF) const;
  /// Calls and tail calls of \p MF by its name in lifted code. Others come from
  /// there through pointers: code that is not lifted calls the original.
  const Transfers &callersOf(const llvm::MachineFunction &MF) const;
  /// Each function after those that it calls, as far as recursion allows.
  llvm::ArrayRef<const llvm::MachineFunction *> calleesFirst() const {
    return Order;
  }
  /// \p MF, or a function that it calls, leaves the lifted code.
  bool reachesUnknownCode(const llvm::MachineFunction &MF) const {
    return ReachesUnknown.contains(&MF);
  }

private:
  llvm::DenseMap<const llvm::MachineFunction *, Transfers> Outgoing, Incoming;
  llvm::DenseSet<const llvm::MachineFunction *> ReachesUnknown;
  llvm::SmallVector<const llvm::MachineFunction *> Order;
  Transfers None;
};

/// One line per function, then one per transfer:
///   kernel sum
///     0x1a40  calls reduce
///     0x1a58  calls an unknown function
void printCallGraph(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_CALLGRAPH_H
