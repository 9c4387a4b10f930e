// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of the wave that no hook ever reads: what is added to them is lost,
// and the tool reports zeros.
#ifndef LUTHIER_PLUGIN_COUNTERUSE_H
#define LUTHIER_PLUGIN_COUNTERUSE_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Warns of each variable that is a counter of luthier::waveAdd in \p Hooks,
/// which are optimised, and that none of them flushes or reads.
void warnOfUnreadCounters(llvm::ArrayRef<llvm::Function *> Hooks);

} // namespace luthier

#endif // LUTHIER_PLUGIN_COUNTERUSE_H
