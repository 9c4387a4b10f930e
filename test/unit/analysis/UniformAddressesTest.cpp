// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are uniform only where lanes cannot differ.
#include "analysis/UniformAddresses.h"
#include "Kernels.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Labels of a kernel that begin with "uniform" have such accesses, and those
/// that begin with "other" do not.
void expectAsLabelled(const std::string &Assembly,
                      const TargetCase &Target = {"gfx90a", 64}) {
  const LiftedKernel Kernel = liftAssembly(Assembly, Target);
  ASSERT_TRUE(Kernel.LR);
  const auto Uniform = uniformAddresses(*Kernel.LR);
  unsigned Looked = 0;
  for (const auto &Label : Kernel.Labels) {
    const StringRef Name = Label.first();
    if (!Name.starts_with("uniform") && !Name.starts_with("other"))
      continue;
    ++Looked;
    EXPECT_EQ(Uniform.contains(&Kernel.at(Name)), Name.starts_with("uniform"))
        << Name.str();
  }
  EXPECT_GT(Looked, 0u);
}

TEST(UniformAddresses, AreThoseThatArithmeticMakesOfScalars) {
  expectAsLabelled(R"(
 uniform_scalar:
    s_load_dword s4, s[0:1], 0x0
    v_mov_b32_e32 v1, s4
    v_lshlrev_b32_e32 v2, 2, v1
 uniform_moved:
    global_load_dword v3, v2, s[0:1]
 other_loaded:
    global_load_dword v4, v3, s[0:1]
 other_item:
    global_load_dword v4, v0, s[0:1]
    v_add_u32_e32 v5, v1, v0
 other_sum:
    ds_read_b32 v6, v5
 uniform_lds:
    ds_read2_b32 v[6:7], v1 offset1:1
    v_mov_b32_e32 v8, s0
    v_mov_b32_e32 v9, s1
 uniform_flat:
    flat_load_dword v10, v[8:9]
    v_pk_mov_b32 v[12:13], s[0:1], s[0:1] op_sel:[0,1]
 uniform_pair:
    flat_load_dword v10, v[12:13]
    v_mov_b32_e32 v9, v0
 other_half_of_pair:
    flat_load_dword v10, v[8:9]
 other_buffer:
    buffer_load_dword v11, v1, s[0:3], 0 offen
 other_scratch:
    scratch_load_dword v11, off, s4
    s_endpgm
)");
}

TEST(UniformAddresses, MasksOtherLanesAndParts) {
  expectAsLabelled(R"(
    v_cmp_gt_u32_e32 vcc, s8, v0
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 4
    v_cndmask_b32_e32 v3, v1, v2, vcc
 other_selected:
    ds_read_b32 v10, v3
    v_addc_co_u32_e32 v4, vcc, 0, v1, vcc
 other_carry:
    ds_read_b32 v10, v4
    v_mbcnt_lo_u32_b32 v5, -1, 0
 other_number_of_lane:
    ds_read_b32 v10, v5
    v_mov_b32_dpp v6, v0 row_shr:1 row_mask:0xf bank_mask:0xf
 other_neighbour:
    ds_read_b32 v10, v6
    v_mov_b32_e32 v7, v0
    v_mov_b32_sdwa v7, v1 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
 other_part:
    ds_read_b32 v10, v7
    v_readfirstlane_b32 s6, v0
    v_mov_b32_e32 v8, s6
 uniform_first_lane:
    ds_read_b32 v10, v8
    s_endpgm
)");
}

TEST(UniformAddresses, SidesOfABranchGiveDifferentOnes) {
  expectAsLabelled(R"(
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, 0
    v_cmp_gt_u32_e32 vcc, s8, v0
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz join
    v_mov_b32_e32 v2, 4
 uniform_in_side:
    ds_read_b32 v3, v2
 uniform_of_entry_in_side:
    ds_read_b32 v3, v1
 join:
    s_or_b64 exec, exec, s[4:5]
 other_of_two_writes:
    ds_read_b32 v3, v2
 uniform_of_entry:
    ds_read_b32 v3, v1
    v_mov_b32_e32 v5, 8
    s_not_b64 exec, exec
 other_lanes:
    ds_read_b32 v3, v5
    s_mov_b64 exec, -1
 other_lanes_than_those_of_entry:
    ds_read_b32 v3, v1
    s_endpgm
)");
}

TEST(UniformAddresses, LoopsMayWriteOftenAndFunctionsAnything) {
  expectAsLabelled(R"(
    v_mov_b32_e32 v1, s2
 other_not_known_before:
    ds_read_b32 v3, v2
    s_cmp_eq_u32 s3, 0
    s_cbranch_scc1 end
 loop:
    v_mov_b32_e32 v2, s4
    s_sub_u32 s4, s4, 1
    s_cbranch_scc1 loop
 other_of_loop:
    ds_read_b32 v3, v2
 uniform_of_entry:
    ds_read_b32 v3, v1
 end:
    s_endpgm
)");
}

TEST(UniformAddresses, WavesOf32AndDualMoves) {
  expectAsLabelled(R"(
    v_dual_mov_b32 v1, s4 :: v_dual_mov_b32 v2, 0
 uniform_dual:
    ds_load_b32 v3, v1
    v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v7, v1
 other_dual:
    ds_load_b32 v3, v4
    s_endpgm
)",
                   {"gfx1100", 32});
}

} // namespace
