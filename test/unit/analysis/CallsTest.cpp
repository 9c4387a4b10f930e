// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that cross calls.
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/CallGraph.h"
#include "analysis/ExecMasks.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class CallsTest : public ::testing::TestWithParam<TargetCase> {
protected:
  void analyse(const std::string &Assembly) {
    Kernel = liftAssembly(Assembly, GetParam());
    if (!Kernel.LR)
      FAIL();
    Lives = Liveness::run(*Kernel.LR);
    Loads = RegistersInFlight::run(*Kernel.LR);
  }
  std::string mask(const std::string &Single, const std::string &Pair) const {
    return GetParam().WaveSize == 32 ? Single : Pair;
  }
  std::string exec() const { return mask("exec_lo", "exec"); }
  std::string op(const std::string &Name) const {
    return Name + mask("_b32 ", "_b64 ");
  }
  /// As functions begin.
  std::string waitForEverything() const {
    return GetParam().Processor == "gfx1201"
               ? "s_wait_loadcnt_dscnt 0\ns_wait_expcnt 0\n"
                 "s_wait_samplecnt 0\ns_wait_bvhcnt 0\ns_wait_kmcnt 0\n"
               : "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n";
  }
  /// Calls \p Function with the address in s[4:5], as compilers do. Once.
  static std::string call(const std::string &Function) {
    return "s_getpc_b64 s[4:5]\n.Lat" + Function + ":\ns_add_u32 s4, s4, " +
           Function + "-.Lat" + Function +
           "\ns_addc_u32 s5, s5, 0\n"
           "call: s_swappc_b64 s[30:31], s[4:5]\n";
  }
  bool live(StringRef Label, MCRegister Reg) const {
    return Lives.at(InsertionPoint::before(Kernel.at(Label))).contains(Reg);
  }
  std::string inFlight(StringRef Label) const {
    std::string Text;
    raw_string_ostream(Text)
        << Loads.at(InsertionPoint::before(Kernel.at(Label)));
    return Text;
  }
  LiftedKernel Kernel;
  Liveness Lives;
  RegistersInFlight Loads;
};

TEST_P(CallsTest, ACalleeNeedsItsArgumentsAndWhatItsCallerNeedsLater) {
  analyse("a: s_nop 0\n" + call("callee") + R"(
    v_mov_b32_e32 v9, v20
    v_mov_b32_e32 v9, v8
    s_mov_b32 s9, s20
    s_endpgm
  callee:
    v_mov_b32_e32 v8, v7
    s_mov_b32 s8, s7
    ret: s_setpc_b64 s[30:31]
  )");
  EXPECT_TRUE(live("call", AMDGPU::VGPR7));
  EXPECT_TRUE(live("call", AMDGPU::SGPR7));
  EXPECT_TRUE(live("call", AMDGPU::VGPR20));
  EXPECT_TRUE(live("call", AMDGPU::SGPR4_SGPR5));
  EXPECT_FALSE(live("call", AMDGPU::SGPR30_SGPR31));
  EXPECT_FALSE(live("call", AMDGPU::VGPR21));
  EXPECT_FALSE(live("call", AMDGPU::SGPR8));
  EXPECT_FALSE(live("a", AMDGPU::SGPR4_SGPR5));
  // Inside, what the caller goes on with is needed, and nothing else.
  EXPECT_TRUE(live("ret", AMDGPU::VGPR20));
  EXPECT_TRUE(live("ret", AMDGPU::SGPR20));
  EXPECT_TRUE(live("ret", AMDGPU::VGPR8));
  EXPECT_TRUE(live("ret", AMDGPU::SGPR30_SGPR31));
  EXPECT_FALSE(live("ret", AMDGPU::VGPR7));
  EXPECT_FALSE(live("ret", AMDGPU::SGPR8));
  EXPECT_FALSE(live("callee", AMDGPU::SGPR4_SGPR5));
}

TEST_P(CallsTest, LanesThatTheCallerTurnedOffKeepTheirValues) {
  // v1 of the lanes that do not call is read behind the branch, so the callee's
  // write of it ends nothing. v2 is only read by lanes that did call.
  analyse("v_mov_b32_e32 v1, 0\n" + op("s_and_saveexec") +
          mask("s20, s6\n", "s[20:21], s[6:7]\n") + call("callee") +
          "v_mov_b32_e32 v3, v2\n" + op("s_or") + exec() + ", " + exec() +
          mask(", s20", ", s[20:21]") + R"(
    v_mov_b32_e32 v3, v1
    s_endpgm
  callee:
    b: v_mov_b32_e32 v1, 5
    c: v_mov_b32_e32 v2, 6
    s_setpc_b64 s[30:31]
  )");
  EXPECT_TRUE(live("callee", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR1));
  EXPECT_TRUE(live("c", AMDGPU::VGPR1));
  EXPECT_FALSE(live("c", AMDGPU::VGPR2));
  EXPECT_FALSE(live("call", AMDGPU::VGPR2));
}

TEST_P(CallsTest, WholeWaveSpillsReadLanesOfTheCallersInactiveOnes) {
  // As prologues save v40, of which callers use all lanes.
  analyse(call("callee") + R"(
    s_endpgm
  callee:
    )" + op("s_or_saveexec") +
          mask("s20, -1\n", "s[20:21], -1\n") + "b: ds_write_b32 v0, v40\n" +
          op("s_mov") + exec() + mask(", s20\n", ", s[20:21]\n") + R"(
    c: v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, v1
    s_setpc_b64 s[30:31]
  )");
  EXPECT_TRUE(live("call", AMDGPU::VGPR40));
  EXPECT_FALSE(live("c", AMDGPU::VGPR40));
  EXPECT_FALSE(live("c", AMDGPU::VGPR1)) << "the mask is the entry's again";
}

TEST_P(CallsTest, ACalleeThatChangesExecMixesLanes) {
  analyse(call("callee") + R"(
    v_mov_b32_e32 v3, v1
    s_endpgm
  callee:
    b: v_mov_b32_e32 v1, 5
    )" + op("s_mov") +
          exec() + mask(", s20\n", ", s[20:21]\n") + R"(
    s_setpc_b64 s[30:31]
  )");
  EXPECT_TRUE(live("b", AMDGPU::VGPR1)) << "of lanes that are off at b";
  EXPECT_TRUE(live("call", AMDGPU::VGPR1));
}

/// v40 is one that other functions leave alone, but this one writes it: behind
/// code that nobody knows, and in front of it.
TEST_P(CallsTest, AMaskInALaneIsGoneWhereACalleeWritesTheLane) {
  const std::string Save =
      mask("v_writelane_b32 v40, exec_lo, 0\n",
           "s_mov_b64 s[8:9], exec\nv_writelane_b32 v40, s8, 0\n"
           "v_writelane_b32 v40, s9, 1\n");
  const std::string Restore =
      mask("v_readlane_b32 s8, v40, 0\ns_mov_b32 exec_lo, s8\n",
           "v_readlane_b32 s8, v40, 0\nv_readlane_b32 s9, v40, 1\n"
           "s_mov_b64 exec, s[8:9]\n");
  const std::string Write = "v_mov_b32_e32 v40, 0\n";
  const std::string Unknown = "s_swappc_b64 s[30:31], s[20:21]\n";
  for (const std::string &Body : {Unknown, Unknown + Write, Write + Unknown}) {
    analyse(Save + call("callee") + Restore + R"(
      behind: s_endpgm
    callee:
      s_mov_b64 s[34:35], s[30:31]
    )" + Body +
            R"(
      s_mov_b64 s[30:31], s[34:35]
      s_setpc_b64 s[30:31]
    )");
    const MachineInstr &Behind = Kernel.at("behind");
    const ExecMasks Masks = ExecMasks::run(
        *Kernel.LR, CallGraph::run(*Kernel.LR), EffectsTable::run(*Kernel.LR));
    EXPECT_EQ(Masks.of(*Behind.getParent()).back() == ExecSet::Entry,
              Body == Unknown)
        << Body;
  }
}

TEST_P(CallsTest, RecursionIsAFixedPoint) {
  analyse(call("callee") + R"(
    v_mov_b32_e32 v9, v20
    s_endpgm
  callee:
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 out
    s_mov_b64 s[34:35], s[30:31]
    s_getpc_b64 s[6:7]
  .Lhere:
    s_sub_u32 s6, s6, .Lhere-callee
    s_subb_u32 s7, s7, 0
    again: s_swappc_b64 s[30:31], s[6:7]
    s_mov_b64 s[30:31], s[34:35]
  out:
    v_mov_b32_e32 v8, v7
    ret: s_setpc_b64 s[30:31]
  )");
  EXPECT_TRUE(live("call", AMDGPU::VGPR7));
  EXPECT_TRUE(live("call", AMDGPU::VGPR20));
  EXPECT_TRUE(live("ret", AMDGPU::VGPR20));
}

TEST_P(CallsTest, EverythingIsLiveAroundUnknownCode) {
  analyse(R"(
    call: s_swappc_b64 s[30:31], s[20:21]
    a: s_mov_b32 s7, 0
    s_endpgm
  )");
  EXPECT_TRUE(live("call", AMDGPU::SGPR7));
  EXPECT_TRUE(live("call", AMDGPU::VGPR63));
  EXPECT_FALSE(live("a", AMDGPU::SGPR7));
}

/// s[20:21] hold the address of the callee, or another.
static const char *PointerToCallee = R"(
    s_getpc_b64 s[20:21]
  .Lpc:
    s_add_u32 s20, s20, callee-.Lpc
    s_addc_u32 s21, s21, 0
    s_cselect_b64 s[20:21], s[20:21], s[8:9]
)";

TEST_P(CallsTest, FunctionsThatPointersLeadToReturnToThoseWhoFollowThem) {
  analyse(PointerToCallee + std::string(R"(
    call: s_swappc_b64 s[30:31], s[20:21]
    s_mov_b32 s6, s9
    v_mov_b32 v62, v61
    s_endpgm
    .Lend2: .size kernel, .Lend2-kernel
    .type callee,@function
  callee:
    a: s_mov_b32 s7, 0
    return: s_setpc_b64 s[30:31]
    .Lcallee: .size callee, .Lcallee-callee
  )"));
  const ControlTransfer &Call = *Kernel.LR->transferOf(Kernel.at("call"));
  EXPECT_EQ(Call.Kind, ControlTransfer::UnresolvedCall);
  EXPECT_TRUE(Call.FollowsPointer);
  EXPECT_EQ(Kernel.LR->transferOf(Kernel.at("return"))->Kind,
            ControlTransfer::Return);
  for (StringRef Label : {"a", "return"}) {
    EXPECT_FALSE(live(Label, AMDGPU::SGPR7));
    EXPECT_FALSE(live(Label, AMDGPU::SCC));
    EXPECT_FALSE(live(Label, AMDGPU::VGPR63));
    EXPECT_TRUE(live(Label, AMDGPU::SGPR9));
    EXPECT_TRUE(live(Label, AMDGPU::VGPR61));
  }
  // It may be another function, which nobody knows.
  EXPECT_TRUE(live("call", AMDGPU::SGPR7));
  EXPECT_TRUE(live("call", AMDGPU::SCC));
  EXPECT_TRUE(live("call", AMDGPU::VGPR63));
}

TEST_P(CallsTest, FunctionsThatOthersJumpToThroughPointersReturnForThem) {
  analyse(PointerToCallee + call("jumper") + R"(
    v_mov_b32 v62, v61
    s_endpgm
    .Lend2: .size kernel, .Lend2-kernel
    .type jumper,@function
  jumper:
    jump: s_setpc_b64 s[20:21]
    .Ljumper: .size jumper, .Ljumper-jumper
    .type callee,@function
  callee:
    v_mov_b32 v60, 0
    return: s_setpc_b64 s[30:31]
    .Lcallee: .size callee, .Lcallee-callee
  )");
  const ControlTransfer &Jump = *Kernel.LR->transferOf(Kernel.at("jump"));
  EXPECT_EQ(Jump.Kind, ControlTransfer::UnresolvedJump);
  EXPECT_TRUE(Jump.FollowsPointer);
  EXPECT_TRUE(live("return", AMDGPU::VGPR61));
  EXPECT_FALSE(live("return", AMDGPU::VGPR63));
  EXPECT_TRUE(live("jump", AMDGPU::VGPR63));
}

TEST_P(CallsTest, LoadsLandBeforeACalleeThatWaitsReturns) {
  analyse("global_load_dword v1, v[8:9], off\n" + call("callee") + R"(
    a: s_nop 0
    s_endpgm
  callee:
    b: global_load_dword v2, v[8:9], off
    )" + waitForEverything() +
          R"(
    c: global_load_dword v3, v[8:9], off
    s_setpc_b64 s[30:31]
  )");
  // The callee is looked at alone: at its entry anything may be in flight.
  EXPECT_NE(inFlight("b").find("v0-v255"), std::string::npos);
  EXPECT_EQ(inFlight("c"), "none");
  EXPECT_EQ(inFlight("a"), "v3");
}

TEST_P(CallsTest, TheGraphHasCalleesFirst) {
  analyse(call("outer") + R"(
    s_endpgm
  outer:
    s_mov_b64 s[34:35], s[30:31]
    s_getpc_b64 s[6:7]
  .Lhere:
    s_add_u32 s6, s6, inner-.Lhere
    s_addc_u32 s7, s7, 0
    s_swappc_b64 s[30:31], s[6:7]
    s_setpc_b64 s[34:35]
  inner:
    s_setpc_b64 s[30:31]
  )");
  const CallGraph Graph = CallGraph::run(*Kernel.LR);
  ASSERT_EQ(Graph.calleesFirst().size(), 3u);
  EXPECT_EQ(Graph.calleesFirst().front(), Kernel.at("inner").getMF());
  EXPECT_EQ(Graph.calleesFirst().back(), &Kernel.LR->kernel());
  const auto &Callers = Graph.callersOf(*Kernel.at("inner").getMF());
  ASSERT_EQ(Callers.size(), 1u);
  EXPECT_EQ(Callers.front()->MI->getMF(), Kernel.at("outer").getMF());
  EXPECT_FALSE(Graph.reachesUnknownCode(Kernel.LR->kernel()));
}

TEST_P(CallsTest, WhoCallsUnknownCodeIsKnown) {
  analyse(call("outer") + R"(
    s_endpgm
  outer:
    s_swappc_b64 s[30:31], s[20:21]
    s_endpgm
  )");
  const CallGraph Graph = CallGraph::run(*Kernel.LR);
  EXPECT_TRUE(Graph.reachesUnknownCode(*Kernel.at("outer").getMF()));
  EXPECT_TRUE(Graph.reachesUnknownCode(Kernel.LR->kernel()));
}

INSTANTIATE_TEST_SUITE_P(Targets, CallsTest, ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
