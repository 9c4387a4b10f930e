// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compared.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_SIDE_H
#define LUTHIER_EMULATOR_LOCKSTEP_SIDE_H

#include "emulator/exec/LaunchPlan.h"

namespace luthier::emulator {
class CodeCache;
}

namespace luthier::emulator::lockstep {

/// One version: a launch that has not begun. All of it outlives the run.
struct Side {
  /// Residency limits of the two are brought together, so it may change.
  LaunchPlan &Plan;
  const AddressSpace &Memory;
  /// Describes instructions.
  CodeCache &Code;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_SIDE_H
