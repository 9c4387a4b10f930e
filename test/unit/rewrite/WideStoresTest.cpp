// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wide stores read their data late: neither hooks nor the application overwrite
// them too soon, though nobody needs them any more. Strict mode judges.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/Lifter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Begins with vector instructions and ends with a wide store of their results.
constexpr const char *Hook = R"(
define void @h() #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %at = getelementptr <4 x i32>, ptr addrspace(1) @Counters, i32 %lane
  %a = insertelement <4 x i32> poison, i32 %lane, i32 0
  %b = insertelement <4 x i32> %a, i32 7, i32 1
  %c = insertelement <4 x i32> %b, i32 8, i32 2
  %d = insertelement <4 x i32> %c, i32 9, i32 3
  store <4 x i32> %d, ptr addrspace(1) %at
  ret void
})";

class WideStores : public EngineTest {
protected:
  WideStores() {
    setHooks(Hook);
    Options.Engine.Policy = RegisterPolicy::NoGrow;
    Launch = {{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
    Launch.Arguments.words(1024);
  }
  /// Calls the hook \p Times before each s_nop of \p Body, behind the address
  /// of the buffer in s[4:5] and a lane's offset in v1.
  void expectDistance(const std::string &Body, unsigned Times) {
    AssemblyKernel K;
    K.VGPRs = 24;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v1, 4, v0\nwait_all\n" +
             Body + "s_endpgm\n";
    Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          const TargetInstrInfo &TII =
              *LR.kernel().getSubtarget().getInstrInfo();
          for (MachineBasicBlock &MBB : LR.kernel())
            for (MachineInstr &MI : MBB)
              if (TII.getName(MI.getOpcode()).starts_with("S_NOP"))
                for (unsigned N = 0; N != Times; ++N)
                  Task.insertHookBefore(MI, hook("h"));
        });
    if (J.Problem.empty())
      EXPECT_EQ(J.counters()[1], 8 | uint64_t(9) << 32);
  }
  /// Writes v2 to v23, so that whichever registers a hook takes, it meets them.
  static std::string all(const std::string &Value) {
    std::string Text;
    for (unsigned N = 2; N != 24; ++N)
      Text += "v_mov_b32_e32 v" + std::to_string(N) + ", " + Value + "\n";
    return Text;
  }
  static std::string stores() {
    std::string Text;
    for (unsigned N = 4; N != 24; N += 4)
      Text += "global_store_dwordx4 v1, v[" + std::to_string(N) + ":" +
              std::to_string(N + 3) +
              "], s[4:5] offset:" + std::to_string(64 * (N - 4)) + "\n";
    return Text;
  }

  KernelLaunch Launch;
};

TEST_P(WideStores, OfTheApplicationAreNotOverwrittenByHooks) {
  for (unsigned First = 2; First != 22; First += 2) {
    SCOPED_TRACE(First);
    expectDistance(all("5") + "global_store_dwordx4 v1, v[" +
                       std::to_string(First) + ":" + std::to_string(First + 3) +
                       "], s[4:5]\ns_nop 0\n",
                   1);
    // In the block before.
    expectDistance(all("5") + "global_store_dwordx4 v1, v[" +
                       std::to_string(First) + ":" + std::to_string(First + 3) +
                       "], s[4:5]\ns_branch next\nnext:\ns_nop 0\n",
                   1);
  }
}

TEST_P(WideStores, OfHooksAreNotOverwrittenByTheNextHook) {
  expectDistance("s_nop 0\n", 3);
}

TEST_P(WideStores, OfHooksAreNotOverwrittenByTheApplication) {
  // Each of them is the first behind the hook once.
  for (unsigned First = 2; First != 24; ++First)
    expectDistance("s_nop 0\nv_mov_b32_e32 v" + std::to_string(First) +
                       ", 3\n" + all("4") + stores(),
                   1);
}

INSTANTIATE_TEST_SUITE_P(Targets, WideStores, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
