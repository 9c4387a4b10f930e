// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that use registers whose numbers depend on M0.
#ifndef LUTHIER_LIFT_INDEXEDOPERANDS_H
#define LUTHIER_LIFT_INDEXEDOPERANDS_H

namespace llvm {
class MachineInstr;
}

namespace luthier {

struct IndexedOperands {
  bool Scalars = false, Vectors = false;
  /// Something else than the operands say is written, by this instruction or,
  /// as it switches GPR-index mode, between here and the next of its kind.
  bool AreWritten = false;
};
IndexedOperands indexedOperandsOf(const llvm::MachineInstr &MI);

/// s_setreg reaches bit \p Bit of MODE. Which value it gets is not followed.
bool writesModeBit(const llvm::MachineInstr &MI, unsigned Bit);

/// \p MI may switch GPR-index mode on, in which M0 is added to the numbers of
/// vector registers. The mode went with gfx10.
bool maySwitchIndexModeOn(const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_LIFT_INDEXEDOPERANDS_H
