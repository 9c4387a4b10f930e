// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two versions of a kernel given as assembly. Lines of the
// instrumented version that begin with "+" are payload; all others are, in
// order, the original's.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_LOCKSTEP_JUDGE_H
#define LUTHIER_TEST_UNIT_EMULATOR_LOCKSTEP_JUDGE_H

#include "emulator/api/Launch.h"
#include "emulator/lockstep/Lockstep.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace luthier::test {

/// Both versions of a kernel have the address of 8 KiB of data in s[0:1], the
/// second half of which is the instrumented version's own, and the workgroup id
/// in s2, unless a test says otherwise. The original has 16 VGPRs, 32 SGPRs, no
/// LDS and no scratch; the instrumented version has 32 VGPRs and 64 SGPRs.
class Judge : public ::testing::Test {
protected:
  explicit Judge(const char *Target = "gfx90a", unsigned WaveSize = 64);

  emulator::lockstep::Result judge(const std::string &Original,
                                   const std::string &Instrumented);
  /// Expects no difference, whatever the schedule.
  void passes(const std::string &Original, const std::string &Instrumented);
  /// Expects a difference, and gives it.
  emulator::lockstep::Difference differs(const std::string &Original,
                                         const std::string &Instrumented);

  static constexpr uint64_t DataSize = 8192, Own = 4096;
  emulator::api::RawLaunchRequest OriginalLaunch, InstrumentedLaunch;
  emulator::lockstep::Options Options;
  /// User SGPRs; empty for the address of the data.
  std::vector<uint32_t> OriginalUser, InstrumentedUser;
  /// Address of the data, which all runs have in common.
  static constexpr uint64_t Data = 0x200000000000;
  std::vector<uint32_t> Contents;
  /// The instrumented version runs once more, with other garbage.
  bool RunsAgain = false;
  /// Addresses in the two versions differ in bits 31 to 16, too.
  bool IsFarApart = false;
  /// Both run on copies of one moment, as under `luthier verify`. Then there
  /// are no results.
  bool RunsOnCopies = false;
  /// The original's results, after a run.
  std::vector<uint32_t> Results;

private:
  std::vector<uint64_t> place(emulator::api::Device &D,
                              const std::string &Source);
  const std::string Target;
  const unsigned WaveSize;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_LOCKSTEP_JUDGE_H
