// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the lanes of waves agree: about a branch, or a load's address.
#ifndef LUTHIER_PGO_UNIFORMITY_H
#define LUTHIER_PGO_UNIFORMITY_H

#include "llvm/ADT/StringRef.h"

namespace luthier::pgo {

enum class Uniformity {
  NotExecuted,
  Always,    ///< They cannot disagree.
  SoFar,     ///< They could, but never did.
  Divergent, ///< They did.
  Unknown,   ///< Nobody looked.
};

/// "not executed", "always uniform", "uniform so far", "divergent", "not
/// counted".
llvm::StringRef toString(Uniformity U);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_UNIFORMITY_H
