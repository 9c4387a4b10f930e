// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Payloads that clobber flags leave the application's as they were.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Flags : public EngineTest {
protected:
  Flags() {
    // Divergent control flow, comparisons and carries clobber SCC, VCC and, on
    // the way, EXEC; indexing a vector by a scalar clobbers M0.
    setHooks(R"(
define void @clobber(i32 %n) #0 {
entry:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %odd = and i32 %lane, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %then, label %join
then:
  %wide = zext i32 %lane to i64
  %p = getelementptr i64, ptr addrspace(1) @Counters, i64 %wide
  %old = load i64, ptr addrspace(1) %p
  %new = add i64 %old, 4294967297
  store i64 %new, ptr addrspace(1) %p
  br label %join
join:
  %v0 = insertelement <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>, i32 %lane, i32 %n
  %q = getelementptr <8 x i32>, ptr addrspace(1) @Counters, i32 100
  store <8 x i32> %v0, ptr addrspace(1) %q
  ret void
}
)");
    Launch.Arguments.words(64);
  }
  Object assemble(const char *Body) {
    AssemblyKernel K;
    K.Body = Body;
    return fromAssembly(K);
  }

  KernelLaunch Launch;
};

TEST_P(Flags, SurviveBeforeEveryInstruction) {
  const char *Kernel = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_cmp_eq_u32 s2, 0
    v_cmp_gt_u32_e32 vcc, 20, v0
    s_mov_b32 m0, 0x55
    s_cselect_b32 s6, 60, 200
    v_cndmask_b32_e32 v2, 3, v0, vcc
    v_add_u32_e32 v2, s6, v2
    s_mov_b32 s7, m0
    v_add_u32_e32 v2, s7, v2
    s_add_u32 s6, s6, -1
    s_addc_u32 s7, 0, 0
    v_add_co_u32_e32 v3, vcc, -8, v0
    s_nop 1 ; gfx940 wants it
    v_addc_co_u32_e32 v2, vcc, v2, v0, vcc
    v_add_u32_e32 v2, s7, v2
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz skip
    v_mul_lo_u32 v2, v2, 3
  skip:
    s_or_b64 exec, exec, s[8:9]
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
  )";
  const Judgement J = expectUnchanged(
      assemble(Kernel), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        unsigned N = 0;
        for (MachineBasicBlock &MBB : LR.kernel())
          for (MachineInstr &MI : MBB)
            Task.insertHookBefore(MI, hook("clobber"), {N++ % 8});
      });
  ASSERT_TRUE(J.Problem.empty());
  // The hooks did run: each even lane added one to both halves, each time.
  // Lane 2 is inactive before three of the 23 instructions.
  const uint64_t Lane2 = J.counters()[2];
  EXPECT_EQ(Lane2 & 0xffffffff, 20u);
  EXPECT_EQ(Lane2 >> 32, Lane2 & 0xffffffff);
  // More constants than are compiled in travel in a register.
  EXPECT_EQ(J.Instrumented.Report.Payloads, 1u);
}

TEST_P(Flags, DataAddressedFromThePCIsTheOriginals) {
  const Judgement J =
      expectUnchanged(assemble(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_getpc_b64 s[6:7]
    s_add_u32 s6, s6, data-.-0
    s_addc_u32 s7, s7, 0
    s_load_dword s8, s[6:7], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32_e32 v2, s8
    global_store_dword v1, v2, s[4:5]
    s_endpgm
  data:
    s_nop 5
  )"),
                      Launch, everywhere("clobber", {HookArgument(1u)}));
  ASSERT_FALSE(J.Buffers.empty());
  EXPECT_EQ(J.Buffers[0][0], 0xbf800005u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Flags, ::testing::ValuesIn(gfx9Targets()),
                         targetName);

} // namespace
