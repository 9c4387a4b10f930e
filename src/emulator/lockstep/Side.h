// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compared.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_SIDE_H
#define LUTHIER_EMULATOR_LOCKSTEP_SIDE_H

#include "emulator/exec/LaunchPlan.h"

namespace luthier::emulator {
class CodeCache;
class Snapshot;
} // namespace luthier::emulator

namespace luthier::emulator::lockstep {

/// One version: a launch that has not begun. All of it outlives the run.
struct Side {
  /// Residency limits of the two are brought together, so it may change.
  LaunchPlan &Plan;
  const AddressSpace &Memory;
  /// Describes instructions.
  CodeCache &Code;
  /// What \p Memory is a part of, if it is a copy of the same moment as the
  /// other's: then only what one of them has written can differ.
  const Snapshot *Copy = nullptr;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_SIDE_H
