// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a loop is going to run, known before it begins.
#ifndef LUTHIER_TRIPCOUNT_H
#define LUTHIER_TRIPCOUNT_H

#include "luthier/Export.h"
#include "luthier/HookArgument.h"
#include "luthier/LiftedRepresentation.h"
#include <optional>

namespace luthier {

/// A loop of one block that a wave leaves when a scalar register, to which each
/// run adds the same number, is equal to something that the loop does not
/// change. It runs once, and furtherTrips() times more, of what Counter and
/// limit() are where the loop is entered.
struct TripCount {
  llvm::MCRegister Counter;
  llvm::MCRegister LimitRegister; ///< None where the limit is a constant.
  uint32_t LimitConstant;
  /// The number that is added is 2^Shift and an odd factor; of the factor.
  uint32_t Inverse;
  uint32_t Shift;

  HookArgument limit() const {
    return LimitRegister ? HookArgument(LimitRegister)
                         : HookArgument(LimitConstant);
  }
};

/// For hooks, with the numbers of a TripCount. Once more may be 2^32.
constexpr uint32_t furtherTrips(uint32_t Counter, uint32_t Limit,
                                uint32_t Inverse, uint32_t Shift) {
  return ((Limit - Counter) * Inverse - 1) >> Shift;
}

/// None where \p MBB is no such loop, may end in another way, changes EXEC, or
/// hooks may find no place on the edges to it.
LUTHIER_API std::optional<TripCount>
tripCountOf(const LiftedRepresentation &LR, const llvm::MachineBasicBlock &MBB);

/// Whether waves leave the loop of one block around \p MI, to which each comes
/// once at most and with some lane active, when it has taken away all of their
/// lanes: then a wave comes to \p MI as often as that of its lanes that stays
/// longest. Nothing before \p MI in the block changes EXEC.
LUTHIER_API bool isLeftWithoutLanes(const LiftedRepresentation &LR,
                                    const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_TRIPCOUNT_H
