// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where calls, returns and jumps through registers go, over all functions that
// were lifted: each function's answer depends on what its callees change.
#ifndef LUTHIER_LIFT_TRANSFERRESOLVER_H
#define LUTHIER_LIFT_TRANSFERRESOLVER_H

#include "lift/LiftedImpl.h"
#include "lift/ScalarConstants.h"
#include <map>
#include <optional>
#include <vector>

namespace luthier {

/// Registers survive a call if the callee and those that it calls do not write
/// them, or if they demonstrably put the old value back. Vector registers that
/// are callee-saved (AMDGPUUsage, "Non-Kernel Functions") are taken to survive.
/// Of what an unknown function leaves alone, nothing else is known.
class TransferResolver {
public:
  /// What is the same of a function whatever others are lifted.
  struct OfOneFunction {
    RegisterSet Named; ///< Written by its own instructions.
    /// If no callee changes anything; once it has been asked for.
    std::optional<ScalarConstants> Constants;
  };
  using OfFunctions =
      llvm::DenseMap<const llvm::MachineFunction *, OfOneFunction>;

  /// \p FollowsPointers: calls through pointers may come to lifted functions.
  /// \p Known is filled in, for other resolvers.
  TransferResolver(const LiftedRepresentation::Impl &Impl, bool FollowsPointers,
                   OfFunctions &Known);

  /// Until nothing more is found out.
  void run();

  /// Where a call or jump leads, as linked; nothing if that is not known.
  std::optional<uint64_t> targetOf(const ControlTransfer &Transfer) const;
  /// \p Transfer goes back to the caller of its function, for all its callers.
  bool isReturn(const ControlTransfer &Transfer) const;
  /// \p Transfer calls, or jumps for good to, a function that is not known, by
  /// its address in a pair of registers that are there afterwards; the function
  /// comes back to lifted code.
  bool goesThroughPointer(const ControlTransfer &Transfer) const;

private:
  struct Function {
    const LiftedSymbol *Symbol = nullptr;
    const llvm::MachineFunction *MF = nullptr;
    llvm::SmallVector<const ControlTransfer *> Transfers;
    ScalarConstants Constants;
    RegisterSet Named;
    /// May differ after a call of it; grows with every round.
    RegisterSet Changed;
  };

  RegisterSet changedBy(std::optional<uint64_t> Callee) const;
  RegisterSet changes(const Function &F) const;
  std::optional<unsigned> linkOf(const ControlTransfer &Call) const;
  void findLink();
  void findConstants(Function &F);

  const LiftedRepresentation::Impl &Impl;
  const bool FollowsPointers;
  OfFunctions &Known;
  std::map<uint64_t, Function> Functions; ///< By entry.
  std::map<const llvm::MachineInstr *, const Function *> FunctionOf;
  /// First of the pair in which all calls leave the return address.
  std::optional<unsigned> Link;
};

} // namespace luthier

#endif // LUTHIER_LIFT_TRANSFERRESOLVER_H
