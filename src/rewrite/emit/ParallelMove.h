// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves that are meant to happen at once, as a sequence.
#ifndef LUTHIER_REWRITE_EMIT_PARALLELMOVE_H
#define LUTHIER_REWRITE_EMIT_PARALLELMOVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier {

struct RegisterMove {
  unsigned To = 0, From = 0;
  bool operator==(const RegisterMove &) const = default;
};

/// An order in which the single moves leave in every To what its From held
/// before all of them. No two of \p Moves have the same To. \p Temporary, which
/// none of them names, breaks cycles: each costs one more move.
llvm::SmallVector<RegisterMove, 16>
sequentialize(llvm::ArrayRef<RegisterMove> Moves, unsigned Temporary);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_PARALLELMOVE_H
