// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the original reads of registers and LDS that nobody has set.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_UNSETREADS_H
#define LUTHIER_EMULATOR_LOCKSTEP_UNSETREADS_H

#include "emulator/exec/LaunchPlan.h"
#include "emulator/lockstep/Watcher.h"

namespace luthier::emulator::lockstep {

/// Collects what waves of the original read though nothing has set it.
class UnsetReads {
public:
  /// \p A is about to execute \p I; \p Uninitialised tells which of its bits
  /// are.
  void before(const Wave &A, const Inst &I, const Trace &T,
              const Wave &Uninitialised);
  /// It has executed \p I.
  void after(const Wave &A, const Inst &I, const Wave &Uninitialised);
  const UnsetState &all() const { return All; }

private:
  UnsetState All;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_UNSETREADS_H
