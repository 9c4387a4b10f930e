// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the waves of a dispatch are when none of them gets on.
#ifndef LUTHIER_EMULATOR_EXEC_WAITINGWAVES_H
#define LUTHIER_EMULATOR_EXEC_WAITINGWAVES_H

#include "emulator/core/Wave.h"
#include <array>
#include <string>
#include <vector>

namespace luthier::emulator {

class CodeCache;

struct WaitingWave {
  explicit WaitingWave(const Wave &W);

  /// Of the instruction that waits, or else of the next one.
  uint64_t PC;
  WaveEvent Event;
  std::array<uint32_t, 3> Workgroup;
  unsigned Number;
};

/// "0x1040 (entry + 0x40)".
std::string describePC(uint64_t PC, uint64_t EntryPC);
/// "wave 1 of workgroup 0,0,0".
std::string describeWave(const WaitingWave &W);

/// A line for each PC: how many waves, an example, the instruction, and what is
/// waited for. Begins with a line break.
std::string describeWaits(std::vector<WaitingWave> Waves, CodeCache &Code,
                          uint64_t EntryPC);

std::string hexText(uint64_t Value);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_WAITINGWAVES_H
