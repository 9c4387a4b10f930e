// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterSet.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;

namespace {

std::string text(const RegisterSet &Set) {
  std::string Text;
  raw_string_ostream(Text) << Set;
  return Text;
}

TEST(RegisterSet, HoldsTuplesByTheirParts) {
  RegisterSet Set;
  Set.add(AMDGPU::VGPR4_VGPR5_VGPR6);
  Set.add(AMDGPU::SGPR10_SGPR11);
  Set.add(AMDGPU::AGPR7);
  EXPECT_EQ(text(Set), "s10-s11 v4-v6 a7");
  EXPECT_TRUE(Set.vgpr(5) && Set.sgpr(11) && Set.agpr(7));
  EXPECT_TRUE(Set.contains(AMDGPU::VGPR6_VGPR7));
  EXPECT_FALSE(Set.contains(AMDGPU::VGPR7_VGPR8));
  Set.remove(unitsOf(AMDGPU::VGPR5));
  EXPECT_EQ(text(Set), "s10-s11 v4 v6 a7");
  EXPECT_EQ(Set.count(), 5u);
}

TEST(RegisterSet, KnowsHalvesAndSpecialRegistersByAllTheirNames) {
  RegisterSet Set;
  Set.add(AMDGPU::VGPR3_HI16);
  Set.add(AMDGPU::SRC_VCCZ);
  Set.add(AMDGPU::EXEC_HI);
  Set.add(AMDGPU::M0_gfx11plus);
  Set.add(AMDGPU::FLAT_SCR_LO_vi);
  Set.add(AMDGPU::SRC_SCC);
  EXPECT_EQ(text(Set), "v3 scc vcc exec_hi m0 flat_scratch_lo");
  EXPECT_TRUE(unitsOf(AMDGPU::VGPR3_HI16).IsPartial);
  EXPECT_FALSE(unitsOf(AMDGPU::VGPR3).IsPartial);
}

TEST(RegisterSet, LeavesOutWhatHoldsNothing) {
  RegisterSet Set;
  Set.add(AMDGPU::SGPR_NULL);
  Set.add(AMDGPU::SRC_SHARED_BASE);
  Set.add(AMDGPU::TTMP4);
  EXPECT_EQ(text(Set), "none");
}

TEST(RegisterSet, GivesNumbers) {
  RegisterSet Set;
  Set.addVGPR(255);
  Set.addSGPR(105);
  EXPECT_EQ(Set.vgprs().size(), 256u);
  EXPECT_EQ(Set.vgprs().find_first(), 255);
  EXPECT_EQ(Set.sgprs().count(), 1u);
  EXPECT_TRUE(Set.agprs().none());
}

} // namespace
