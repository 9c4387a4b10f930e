// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks before every instruction see each execution once, with the EXEC of the
// instruction: counts equal the emulator's.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Counters[0] += 1 and Counters[1] += active lanes, also with EXEC = 0.
constexpr const char *CountHooks = R"(
define void @vector() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %lanes = call i64 @llvm.ctpop.i64(i64 %mask)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  %second = getelementptr i64, ptr addrspace(1) @Counters, i64 1
  %b = atomicrmw add ptr addrspace(1) %second, i64 %lanes syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
define void @scalar() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  %second = getelementptr i64, ptr addrspace(1) @Counters, i64 1
  %b = atomicrmw add ptr addrspace(1) %second, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
; Lane values computed on both sides of a write that switches lanes on.
define void @lanes() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %first = getelementptr i64, ptr addrspace(1) @Counters, i32 %lane
  %x = atomicrmw add ptr addrspace(1) %first, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) #1 to label %all []
all:
  %lo2 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane2 = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo2)
  %other = add i32 %lane2, 64
  %second = getelementptr i64, ptr addrspace(1) @Counters, i32 %other
  %y = atomicrmw add ptr addrspace(1) %second, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
)";

class Counting : public EngineTest {
protected:
  Counting() { setHooks(CountHooks); }

  Object assemble(const std::string &Body) {
    AssemblyKernel K;
    K.Body = Body;
    return fromAssembly(K);
  }
  static KernelLaunch launch(unsigned WorkItems) {
    KernelLaunch Launch{{WorkItems, 1, 1}, {WorkItems, 1, 1}};
    Launch.Arguments.words(256);
    return Launch;
  }

  static void countAll(LiftedRepresentation &LR, InstrumentationTask &Task) {
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB) {
        bool Scalar = SIInstrInfo::isSALU(MI) || SIInstrInfo::isSMRD(MI) ||
                      MI.getOpcode() == AMDGPU::V_READFIRSTLANE_B32 ||
                      MI.getOpcode() == AMDGPU::V_READLANE_B32 ||
                      MI.getOpcode() == AMDGPU::V_WRITELANE_B32;
        Task.insertHookBefore(MI, hook(Scalar ? "scalar" : "vector"));
      }
  }

  InstrumentationReport expectExact(const std::string &Assembly,
                                    unsigned WorkItems = 64) {
    const Judgement J =
        expectUnchanged(assemble(Assembly), launch(WorkItems), countAll);
    if (J.Problem.empty()) {
      EXPECT_GT(J.WaveInstructions, 0u);
      EXPECT_EQ(J.counters()[0], J.WaveInstructions);
      EXPECT_EQ(J.counters()[1], J.LaneInstructions);
    }
    return J.Instrumented.Report;
  }
};

/// Runs vector instructions under the mask s[10:11], then stores lane ids.
std::string underMask(const std::string &SetMask) {
  return R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_mov_b64 s[8:9], exec
  )" + SetMask +
         R"(
    s_mov_b64 exec, s[10:11]
    v_add_u32_e32 v2, 7, v0
    v_mul_lo_u32 v2, v2, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_mov_b64 exec, s[8:9]
    s_endpgm
  )";
}

TEST_P(Counting, IsExactWithAllLanesActive) {
  expectExact(underMask("s_mov_b64 s[10:11], -1"));
}

TEST_P(Counting, IsExactWithLaneZeroInactive) {
  expectExact(underMask("s_mov_b64 s[10:11], -2"));
}

TEST_P(Counting, IsExactWithOneLaneActive) {
  expectExact(underMask("s_lshl_b64 s[10:11], 1, 37"));
}

TEST_P(Counting, IsExactWithNoLaneActive) {
  expectExact(underMask("s_mov_b64 s[10:11], 0"));
}

TEST_P(Counting, IsExactInAPartialWave) {
  expectExact(underMask("s_mov_b64 s[10:11], exec"), 23);
}

TEST_P(Counting, IsExactInADivergentLoop) {
  // Each lane adds its id as often as its id says.
  expectExact(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, v0
    s_mov_b64 s[8:9], exec
    v_cmp_ne_u32_e32 vcc, 0, v2
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
  loop:
    v_add_u32_e32 v1, v1, v0
    v_add_u32_e32 v2, -1, v2
    v_cmp_ne_u32_e32 vcc, 0, v2
    s_and_b64 exec, exec, vcc
    s_cbranch_execnz loop
  done:
    s_mov_b64 exec, s[8:9]
    v_lshlrev_b32_e32 v3, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v3, v1, s[4:5]
    s_endpgm
  )",
              192);
}

TEST_P(Counting, CountsIndexedMovesAtTheStartOfTheirMode) {
  expectExact(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v4, 11
    v_mov_b32_e32 v5, 22
    s_mov_b32 s6, 1
    s_set_gpr_idx_on s6, gpr_idx(SRC0)
    v_mov_b32_e32 v2, v4
    s_set_gpr_idx_off
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
  )");
}

TEST_P(Counting, FollowsBranchesThatNoLongerReach) {
  // Instrumented, the loop body is far longer than a branch reaches; SCC and
  // VCC must survive the computed jumps.
  std::string Body;
  for (unsigned I = 0; I < 1500; ++I)
    Body += "v_add_u32_e32 v1, v1, v0\ns_add_u32 s7, s7, 3\n";
  const InstrumentationReport Report = expectExact(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32_e32 v1, 0
    s_mov_b32 s6, 3
    s_mov_b32 s7, 0
  loop:
    v_cmp_lt_u32_e32 vcc, 5, v0
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc1 done
  )" + Body + R"(
    s_sub_u32 s6, s6, 1
    s_branch loop
  done:
    s_cselect_b32 s8, 5, 6
    v_addc_co_u32_e32 v1, vcc, v1, v1, vcc
    v_add_u32_e32 v1, s7, v1
    v_add_u32_e32 v1, s8, v1
    v_lshlrev_b32_e32 v3, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v3, v1, s[4:5]
    s_endpgm
  )");
  EXPECT_GT(Report.BytesAfter, 1u << 17);
}

TEST_P(Counting, ReadsExecBeforeALoopThatDefinesIt) {
  // The mask is read before a loop and restored after it; a pass that sinks the
  // read would restore what the loop wrote.
  setHooks(R"(
define void @loop(i32 %n) #0 {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %one ]
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %exit
exit:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %slot = add i32 %lane, 64
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %slot
  %b = atomicrmw add ptr addrspace(1) %p, i64 1 syncscope("agent") monotonic
  ret void
})");
  const Judgement J =
      expectUnchanged(assemble(underMask("s_mov_b64 s[10:11], exec")),
                      launch(64), everywhere("loop", {HookArgument(3u)}));
  ASSERT_TRUE(J.Problem.empty());
  const unsigned Points = J.Instrumented.Report.Points;
  EXPECT_EQ(J.counters()[0], 3 * Points);
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(J.counters()[64 + Lane], Points) << Lane;
}

TEST_P(Counting, CompilesOncePerVariantNotOncePerPoint) {
  const InstrumentationReport Report =
      expectExact(underMask("s_mov_b64 s[10:11], -1"));
  EXPECT_EQ(Report.Points, 11u);
  EXPECT_EQ(Report.Payloads, 2u);
}

TEST_P(Counting, IsTimedStageByStage) {
  const InstrumentationReport Report =
      expectExact(underMask("s_mov_b64 s[10:11], -1"));
  EXPECT_GT(Report.CompileTime, 0);
  EXPECT_GT(Report.RewriteTime, 0);
  EXPECT_GT(Report.EmitTime, 0) << "the link";
}

TEST_P(Counting, RecomputesLaneValuesForLanesThatWriteExecSwitchesOn) {
  const Judgement J = expectUnchanged(
      assemble(underMask("s_mov_b64 s[10:11], 0x10")), launch(64),
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (MachineInstr &MI : LR.kernel().front())
          if (MI.getOpcode() == AMDGPU::V_MUL_LO_U32_e64)
            Task.insertHookBefore(MI, hook("lanes"));
      });
  ASSERT_TRUE(J.Problem.empty());
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    EXPECT_EQ(J.counters()[Lane], Lane == 4 ? 1u : 0u) << Lane;
    EXPECT_EQ(J.counters()[64 + Lane], 1u) << Lane;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Counting, ::testing::ValuesIn(gfx9Targets()),
                         targetName);

} // namespace
