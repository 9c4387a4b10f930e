// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations do that move values between lanes or registers.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_LANEREFERENCE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_LANEREFERENCE_H

#include "VectorVariant.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace luthier::test {

struct LaneState {
  static constexpr unsigned NumVgprs = 32, NumSgprs = 64, NumLanes = 64;
  uint32_t V[NumVgprs][NumLanes];
  uint32_t S[NumSgprs];
  uint64_t Exec;
  uint32_t M0;
  unsigned WaveSize;
  bool active(unsigned Lane) const { return Exec >> Lane & 1; }
};

struct LaneRow {
  /// The mnemonic without encoding suffix.
  const char *Name;
  const char *Assembly;
  void (*Evaluate)(LaneState &);
};
std::span<const LaneRow> laneRows();

/// Names of the rows that \p Processor has.
std::vector<std::string> testedLaneOperations(const std::string &Processor);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_LANEREFERENCE_H
