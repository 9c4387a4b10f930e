// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What strict mode checks, and how users ask for it.
#ifndef LUTHIER_EMULATOR_STRICT_OPTIONS_H
#define LUTHIER_EMULATOR_STRICT_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace luthier::emulator::strict {

/// When the result of a load shows in its registers.
enum class LoadTiming : uint8_t {
  Earliest, ///< With the load itself.
  Latest,   ///< With the wait that guarantees it.
  Random,   ///< Somewhere between, by the seed.
};

struct Options {
  /// Uninitialised bits must not decide anything.
  bool Undefined = false;
  /// Registers of loads in flight must not be touched.
  bool Waits = false;
  LoadTiming Loads = LoadTiming::Latest;
  /// What hardware does not interlock must be kept apart.
  bool Hazards = false;
  /// Schedule and load timing. Without it the device's own seed applies.
  std::optional<uint64_t> Seed;
  /// Report and go on, instead of ending the dispatch at the first violation.
  bool Continue = false;
  /// Observers are told of jumps to other functions that do not look like such.
  /// Otherwise any s_branch may be one, a tail call in instrumented code.
  bool KnowsFunctions = false;

  bool anyCheck() const { return Undefined || Waits || Hazards; }
};

/// Understands
///   1, all                     all checks
///   ITEM{,ITEM}  with items    undefined, hazards,
///                              loads=earliest|latest|random (the checks to
///                              make; all if none is named), seed=NUMBER,
///                              continue
///   0, or nothing              strict mode is off
/// Nothing, with one line in \p Error, for any other text.
std::optional<Options> parseOptions(llvm::StringRef Text, std::string &Error);

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_OPTIONS_H
