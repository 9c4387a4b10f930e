// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that use registers whose numbers depend on M0, and the modes of
// gfx9 that change what vector instructions do.
#ifndef LUTHIER_AMDGPU_INDEXEDOPERANDS_H
#define LUTHIER_AMDGPU_INDEXEDOPERANDS_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class MachineInstr;
}

namespace luthier {

/// Registers that the operands do not name.
struct IndexedOperands {
  bool Scalars = false, Vectors = false;
  bool Read = false, Written = false;
};
IndexedOperands indexedOperandsOf(const llvm::MachineInstr &MI);

/// Bits of MODE: M0 is added to the numbers of vector registers; vector
/// instructions do nothing. Both went with gfx10.
enum class VectorMode : uint8_t { Index = 27, Skip = 28 };

/// Whether \p Mode may be on after \p MI; nothing if that does not change it.
std::optional<bool> vectorModeAfter(const llvm::MachineInstr &MI,
                                    VectorMode Mode);

} // namespace luthier

#endif // LUTHIER_AMDGPU_INDEXEDOPERANDS_H
