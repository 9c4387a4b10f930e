// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What surrounds the instructions: launch state, counts, faults, barriers.
#include "Machine.h"

namespace luthier::test {
namespace {

using emulator::ExecutionFault;

TEST_F(Machine, StoresOnePerLane) {
  load(R"(
    v_lshlrev_b32_e32 v1, 2, v0
    v_mul_lo_u32 v2, v0, v0
    global_store_dword v1, v2, s[0:1]
    s_endpgm
  )");
  runOk();
  for (uint32_t L = 0; L != 64; ++L)
    EXPECT_EQ(Data.as<uint32_t>()[L], L * L);
  EXPECT_EQ(Counts.WaveInstructions, 4u);
  EXPECT_EQ(Counts.LaneInstructions, 3u * 64 + 1);
}

} // namespace
} // namespace luthier::test
