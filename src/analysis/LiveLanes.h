// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is needed at a place, by kind of lane, and how it changes over one
// instruction, backwards. For Liveness.
#ifndef LUTHIER_ANALYSIS_LIVELANES_H
#define LUTHIER_ANALYSIS_LIVELANES_H

#include "analysis/ExecMasks.h"
#include "analysis/RegisterEffects.h"

namespace luthier {

/// Scalar registers are only in Active.
struct LiveLanes {
  RegisterSet Active; ///< In lanes that are active at the place.
  /// In inactive lanes that were active when the function was entered.
  RegisterSet Inactive;
  /// In inactive lanes that were inactive then, too.
  RegisterSet Outside;

  static LiveLanes everything();
  RegisterSet any() const { return Active | Inactive | Outside; }

  /// To before an instruction, where EXEC is \p Before and afterwards \p After.
  void cross(const InstructionEffects &Effects, ExecSet Before, ExecSet After);
  /// To before something that changes EXEC, and nothing else.
  void crossExecChange(ExecChange Change, ExecSet Before, ExecSet After);
  /// To before instructions that write and read so.
  void crossWrites(const InstructionEffects &Effects);
  void crossReads(const InstructionEffects &Effects);
  /// Drops what is needed in lanes that do not exist where EXEC is \p Exec.
  void restrictTo(ExecSet Exec);

  LiveLanes &operator|=(const LiveLanes &Other) {
    Active |= Other.Active;
    Inactive |= Other.Inactive;
    Outside |= Other.Outside;
    return *this;
  }
  friend bool operator==(const LiveLanes &, const LiveLanes &) = default;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_LIVELANES_H
