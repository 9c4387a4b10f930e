// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel and an instrumented version of it side by side, and compares
// what the original can see of its own state before each of its instructions.
//
// Both run on memory of their own, with equal device addresses, under one
// schedule whose slices count original instructions. What the original reads
// from clocks and gets back from atomic operations is what the instrumented
// version gets, too. Compared are: the SGPRs that the original allocates, its
// VGPRs and AGPRs in all lanes, active or not, EXEC, VCC, SCC, M0, MODE and LDS
// of the original's size before each instruction; memory after each store
// through flat and global instructions, and all of it at the end. Bits that the
// original itself has not initialised may differ, and EXEC where the wave only
// ends.
//
// What else may differ is listed in Options.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_LOCKSTEP_H
#define LUTHIER_EMULATOR_LOCKSTEP_LOCKSTEP_H

#include "emulator/lockstep/Difference.h"
#include "emulator/lockstep/Options.h"
#include "emulator/lockstep/Side.h"
#include <optional>
#include <string>

namespace luthier::emulator::lockstep {

struct Result {
  /// The first difference, if there is one.
  std::optional<Difference> Found;
  /// Set if the original itself could not run to its end, or was stopped;
  /// nothing was then found up to there.
  std::optional<std::string> OriginalFault;
  /// Instructions of the original that both versions have executed, each of
  /// them between two comparisons: as many as the original executes alone,
  /// unless it waits for other waves in a loop.
  uint64_t Compared = 0;
  uint64_t PayloadInstructions = 0;
  /// What the original read though nothing had set it. Noted if there is a
  /// third run.
  UnsetState ReadUnset;
  /// Where the instrumented version depends on no other garbage than that.
  std::optional<Difference> Noted;
};

/// \p Again is one more launch of the instrumented version, for Options::Own.
Result run(Side Original, Side Instrumented, const Options &O,
           std::optional<Side> Again = std::nullopt);

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_LOCKSTEP_H
