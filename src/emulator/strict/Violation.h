// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel did that hardware would not forgive.
#ifndef LUTHIER_EMULATOR_STRICT_VIOLATION_H
#define LUTHIER_EMULATOR_STRICT_VIOLATION_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace luthier::emulator::strict {

enum class Rule : uint8_t {
#define STRICT_RULE(Enumerator, Name, Text) Enumerator,
#include "emulator/strict/Rules.def"
};

/// Stable spelling, such as "uninitialised-branch".
const char *nameOf(Rule R);

struct Violation {
  Rule What;
  std::string Kernel;
  uint64_t PC = 0;
  uint64_t EntryPC = 0;
  std::string Instruction;
  uint32_t Workgroup[3] = {};
  unsigned Wave = 0; ///< Its number in the workgroup.
  std::optional<unsigned> Lane;
  std::string Register; ///< As assembly spells it; may be empty.
  /// More about it, such as a hazard's name and distances; may be empty.
  std::string Detail;
  /// The other instruction involved: the load, or the hazard's first half.
  std::optional<uint64_t> OtherPC;

  /// One line with everything but kernel, PC and instruction.
  std::string describe() const;
  /// One line with everything.
  std::string text() const;
};

using ViolationSink = std::function<void(const Violation &)>;

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_VIOLATION_H
