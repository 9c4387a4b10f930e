// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which edits of a lifted kernel its digest shows.
#include "lift/LiftedDigest.h"
#include "../analysis/Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class LiftedDigest : public ::testing::TestWithParam<TargetCase> {
protected:
  using Edit = std::function<void(MachineFunction &)>;
  Digest digest(const Edit &Change = {}) {
    LiftedKernel Kernel = liftAssembly(R"(
      s_mov_b32 s4, 1
      s_mov_b32 s5, 2
      s_cmp_lg_u32 s4, s5
      s_cbranch_scc1 other
      s_nop 1
    other:
      s_nop 2
      s_endpgm
)",
                                       GetParam());
    if (!Kernel.LR)
      return {};
    if (Change)
      Change(Kernel.LR->kernel());
    return digestOf(*Kernel.LR);
  }
  static MachineInstr &first(MachineFunction &MF) { return MF.front().front(); }
};

TEST_P(LiftedDigest, IsTheSameEachTime) {
  EXPECT_NE(digest(), Digest());
  EXPECT_EQ(digest(), digest());
}

TEST_P(LiftedDigest, ShowsOtherOperands) {
  EXPECT_NE(digest(), digest([](MachineFunction &MF) {
              first(MF).getOperand(1).setImm(3);
            }));
  EXPECT_NE(digest(), digest([](MachineFunction &MF) {
              first(MF).getOperand(0).setReg(AMDGPU::SGPR6);
            }));
}

TEST_P(LiftedDigest, ShowsAnotherOrder) {
  EXPECT_NE(digest(), digest([](MachineFunction &MF) {
              MachineBasicBlock &MBB = MF.front();
              MBB.splice(MBB.begin(), &MBB, std::next(MBB.begin()));
            }));
}

TEST_P(LiftedDigest, ShowsAnotherTargetOfABranch) {
  EXPECT_NE(digest(), digest([](MachineFunction &MF) {
              MachineInstr &Branch = MF.front().back();
              ASSERT_TRUE(Branch.getOperand(0).isMBB());
              Branch.getOperand(0).setMBB(&*std::next(MF.begin()));
            }));
}

TEST_P(LiftedDigest, ShowsInstructionsThatComeAndGo) {
  EXPECT_NE(digest(),
            digest([](MachineFunction &MF) { first(MF).eraseFromParent(); }));
  EXPECT_NE(digest(), digest([](MachineFunction &MF) {
              BuildMI(MF.front(), first(MF), DebugLoc(),
                      MF.getSubtarget().getInstrInfo()->get(AMDGPU::S_NOP))
                  .addImm(0);
            }));
}

INSTANTIATE_TEST_SUITE_P(Targets, LiftedDigest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
