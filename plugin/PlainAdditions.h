// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions to a variable that are no atomic operations: what other lanes and
// waves add at the same time is lost.
#ifndef LUTHIER_PLUGIN_PLAINADDITIONS_H
#define LUTHIER_PLUGIN_PLAINADDITIONS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Warns of each variable to which \p Hooks, which are optimised, add with a
/// load and a store, as `Counts[I] += 1` does. Not of elements that something
/// else than constants and parameters of the hook chooses, which may be each
/// wave's own, and not in hooks that may have a lock.
void warnOfPlainAdditions(llvm::ArrayRef<llvm::Function *> Hooks);

} // namespace luthier

#endif // LUTHIER_PLUGIN_PLAINADDITIONS_H
