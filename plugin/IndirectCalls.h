// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through pointers to functions, virtual ones among them. A payload has
// no address of its own that could be kept in memory, and code of the tool's
// own code object must not run in somebody else's kernel. So a function's
// address becomes that of a variable, which stands for it wherever pointers are
// stored or compared, and a call through a pointer becomes one direct call for
// each function that the pointer can mean.
#ifndef LUTHIER_PLUGIN_INDIRECTCALLS_H
#define LUTHIER_PLUGIN_INDIRECTCALLS_H

#include "Reachability.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace luthier {

/// A function whose address is used for something else than a call.
struct AddressTaken {
  llvm::Function *F = nullptr;
  /// In the initial value of a variable that may change.
  bool IsInVariable = false;
  /// Of the variable that stands for it.
  std::string Name;
};

std::vector<AddressTaken> findAddressTaken(const Reachability &Reached);

/// Defines in \p M the variable that stands for each of \p Functions, and puts
/// its address into the initial values of \p Variables.
void replaceAddresses(llvm::Module &M, std::vector<AddressTaken> &Functions,
                      const llvm::SetVector<llvm::GlobalVariable *> &Variables);

/// In the clone: makes each call through a pointer a choice among those of
/// \p Functions that have its type, and puts the address of its variable
/// wherever one's own is still used. A pointer that means none of them gets
/// nothing called, and zero as the result. Returns whether there were any such
/// calls; those that can mean none at all stay.
bool lowerIndirectCalls(llvm::Module &Clone,
                        llvm::ArrayRef<AddressTaken> Functions);

/// InferAddressSpaces leaves casts of constants to their own type, which no
/// pass folds.
void foldEmptyCasts(llvm::Module &Clone);

} // namespace luthier

#endif // LUTHIER_PLUGIN_INDIRECTCALLS_H
