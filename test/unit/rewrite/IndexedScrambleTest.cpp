// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scrambling stays among the registers that a kernel has, whatever its code
// names.
#include "EngineTest.h"

namespace luthier::test {
namespace {

class IndexedScramble : public EngineTest {};

TEST_P(IndexedScramble, StaysInTheAllocation) {
  AssemblyKernel K;
  K.VGPRs = 8;
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
           "v_lshlrev_b32_e32 v1, 2, v0\n"
           "v_mov_b32_e32 v2, 3\n"
           "v_mov_b32_e32 v3, v0\n"
           "v_mov_b32_e32 v4, 0\n";
  K.Body += target().isRdna() ? "s_mov_b32 m0, 1\n"
                                "v_movrels_b32_e32 v4, v2\n"
                              : "s_set_gpr_idx_on 1, gpr_idx(SRC0)\n"
                                "v_mov_b32_e32 v4, v2\n"
                                "s_set_gpr_idx_off\n";
  K.Body += "wait_all\n"
            "global_store_dword v1, v4, s[4:5]\n"
            "s_endpgm\n";
  K.WorkItemIds = 1;
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  Options.SelfTest.ScrambleSeed = 0;
  Options.SelfTest.MaxScrambled = 0;
  Judgement J =
      expectUnchanged(fromAssembly(K), Launch,
                      [](LiftedRepresentation &, InstrumentationTask &) {});
  EXPECT_EQ(J.Buffers.at(0).at(5), 5u);
}

INSTANTIATE_TEST_SUITE_P(Targets, IndexedScramble,
                         ::testing::ValuesIn(allTargets()), targetName);

class UnreachedScramble : public EngineTest {};

TEST_P(UnreachedScramble, StaysInTheAllocation) {
  AssemblyKernel K;
  K.Body = "s_nop 0\ns_endpgm\n"
           "v_mov_b32_e32 v250, v251\ns_mov_b32 s100, s101\ns_endpgm\n";
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(1);
  // Without hooks, scrambling allocates registers of its own.
  setHooks("define void @none() #0 { ret void }");
  for (uint64_t Seed = 0; Seed != 8; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    Options.SelfTest.ScrambleSeed = Seed;
    expectUnchanged(fromAssembly(K), Launch, everywhere("none"));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, UnreachedScramble,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
} // namespace luthier::test
