// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of one file, by number, where nothing of the frame may be, or not
// everything.
#ifndef LUTHIER_REWRITE_TAKENREGISTERS_H
#define LUTHIER_REWRITE_TAKENREGISTERS_H

#include "llvm/ADT/BitVector.h"
#include <optional>

namespace luthier {

struct TakenRegisters {
  /// Hooks name them (readReg, writeReg), or they are kept for the state.
  llvm::BitVector Always{512};
  llvm::BitVector ByArguments{512}; ///< Arguments come from them.

  /// An even place of \p Count registers below \p End that are not taken, at
  /// \p Wanted or else near. Nor do arguments come from the first \p NumTight
  /// of them.
  std::optional<unsigned> findBlock(unsigned NumTight, unsigned Count,
                                    unsigned Wanted, unsigned End) const;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_TAKENREGISTERS_H
