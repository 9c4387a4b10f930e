// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a comparison is told, and what it lets differ.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_OPTIONS_H
#define LUTHIER_EMULATOR_LOCKSTEP_OPTIONS_H

#include "emulator/exec/InstInfo.h"
#include "emulator/exec/LaunchPlan.h"
#include "emulator/strict/Options.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace luthier::emulator::lockstep {

struct Options {
  /// Instrumented PC to original PC, for each instruction of the original that
  /// the instrumented version has kept. Payload code has no entry. A branch to
  /// an instruction leads to the payload before it, if there is one.
  std::map<uint64_t, uint64_t> ToOriginal;
  /// Code of the original that the instrumented version may run in place:
  /// callees that were left alone. Empty by default.
  uint64_t InPlaceBegin = 0, InPlaceEnd = 0;

  /// Registers that may differ before the instructions [FirstPC, LastPC] of the
  /// original, such as those that hold the scratch wave offset of a launch
  /// whose scratch layout is another one. Numbers as in InstInfo.h.
  struct Allowance {
    uint64_t FirstPC, LastPC;
    RegisterRange Registers;
  };
  std::vector<Allowance> Allowed;
  /// Code addresses that s_getpc and calls leave in SGPR pairs, or that are
  /// computed there: gives the original's for the instrumented one's. By
  /// default those of mapped instructions and of the payload before them. Both
  /// halves may then travel through registers as they are, those of return
  /// addresses also through memory, where narrower stores may leave but a part.
  std::function<std::optional<uint64_t>(uint64_t)> TranslateAddress;
  /// Memory that may differ at the end: scratch, packets, the instrumented
  /// version's own data.
  struct Extent {
    uint64_t Begin, End;
  };
  std::vector<Extent> Ignored;
  /// The instrumented version's own memory that must hold the same whatever
  /// registers held that nobody wrote: variables of its hooks. Looked at if
  /// there is a third side.
  std::vector<Extent> Own;
  /// Garbage that is the same in the third run: what the original reads of it
  /// itself. See Attribution.h.
  UnsetState KeptGarbage;
  /// Registers need only be equal where the original reads them: values that
  /// no instruction reads again may be lost. EXEC, MODE, LDS and memory are
  /// compared as ever.
  bool OnlyWhatIsRead = false;
  /// Whether mapped instructions must also be equal but for branch distances.
  bool CompareInstructions = true;

  /// Order of waves, and lengths of slices. 0: round robin.
  uint64_t Seed = 0;
  /// Payload instructions in a row that count as never coming back.
  uint64_t MaxPayload = 1 << 20;
  /// Checks that the instrumented version must pass as well. Load timing is
  /// "earliest", so that a load in flight is no difference; reading its
  /// register before the wait is still a violation.
  strict::Options Strict;

  /// Gets interrupts (s_sendmsg MSG_INTERRUPT with M0) that the original sends.
  /// Nobody answers them here. May be empty.
  std::function<void(uint32_t)> Interrupt;
  /// Asked between slices; says why to stop the comparison, which is then the
  /// original's fault. May be empty.
  std::function<std::optional<std::string>()> Stop;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_OPTIONS_H
