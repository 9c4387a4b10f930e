// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that call functions, instrumented in all of them, compute the same on
// every target. Code that is reached in ways the lifter does not follow runs
// uninstrumented, in the original; for functions that are called through
// pointers see PointersRunTest.cpp.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class FunctionsRun : public EngineTest {
protected:
  FunctionsRun() {
    // Once per wave, also with EXEC = 0.
    setHooks(R"(
define void @h() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})");
    Launch = {{80, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(128).value(uint32_t(5));
  }
  /// Every instruction, those of the functions included.
  void expectAllCounted(const Object &Kernel) {
    Judgement J = expectUnchanged(
        Kernel, Launch, [](LiftedRepresentation &LR, InstrumentationTask &T) {
          for (auto &[Symbol, MF] : LR.functions())
            for (MachineBasicBlock &MBB : *MF)
              for (MachineInstr &MI : MBB)
                // Where code overlaps there are branches that were not there.
                if (LR.originalAddress(MI))
                  T.insertHookBefore(MI, hook("h"));
        });
    EXPECT_GT(J.WaveInstructions, 80u);
    ASSERT_FALSE(J.counters().empty());
    EXPECT_EQ(J.counters()[0], J.WaveInstructions);
  }
  KernelLaunch Launch;
};

constexpr const char *Source = R"(
using Words = unsigned [[clang::address_space(1)]];
#define NOINLINE extern "C" __attribute__((noinline))
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE __attribute__((visibility("default"))) unsigned
exported(unsigned X, unsigned Y) {
  unsigned Small[4] = {X, Y, X ^ Y, 7};
  return Small[leaf(Y) & 3] + leaf(X);
}
NOINLINE unsigned deeper(unsigned X) {
  return X & 1 ? leaf(X) + exported(X, 3) : exported(2, X);
}
extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
k(Words *P, unsigned N) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 +
               __builtin_amdgcn_workitem_id_x();
  unsigned Sum = leaf(I);
  for (unsigned J = 0; J < N; ++J)
    Sum += deeper(Sum + J);
  P[I] = Sum;
})";

TEST_P(FunctionsRun, OptimisedCode) { expectAllCounted(fromCpp(Source)); }
TEST_P(FunctionsRun, UnoptimisedCode) {
  expectAllCounted(fromCpp(Source, {"-O0"}));
}

/// Goes to one of three places, by a table at s[8:9] with entry s6: \p Lookup
/// makes the address in s[10:11] of it.
std::string jumpingByTable(const std::string &Lookup,
                           const std::string &TableInCode = "") {
  return R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    workgroup_id_x s12
    v_and_b32_e32 v0, 0x3ff, v0
    s_lshl_b32 s12, s12, 6
    vadd v1, s12, v0
    v_lshlrev_b32_e32 v1, 2, v1
    wait_all
)" + Lookup +
         R"(
    s_setpc_b64 s[10:11]
)" + TableInCode +
         R"(
  case0:
    s_movk_i32 s14, 100
    s_branch done
  case1:
    s_movk_i32 s14, 200
    s_nop 0
    s_branch done
  case2:
    s_movk_i32 s14, 300
  done:
    vadd v2, s14, v0
    global_store_dword v1, v2, s[4:5]
    s_endpgm
)";
}

class JumpTables : public FunctionsRun {
protected:
  /// Hooks run up to the jump, and nowhere behind it.
  void expectHooksUpToTheJump(const std::string &Body,
                              const std::string &Data = "") {
    AssemblyKernel K;
    K.Body = Body;
    K.Functions = Data;
    auto Kernel = fromAssembly(K);
    for (uint32_t Case : {0, 1, 2}) {
      SCOPED_TRACE(Case);
      Launch.Arguments = {};
      Launch.Arguments.words(128).value(Case);
      uint64_t UpToTheJump = 0;
      bool IsReported = false;
      Judgement J = expectUnchanged(Kernel, Launch,
                                    [&](LiftedRepresentation &LR, auto &Task) {
                                      IsReported = LR.hasUnresolvedTransfers();
                                      UpToTheJump = LR.kernel().front().size();
                                      everywhere("h")(LR, Task);
                                    });
      EXPECT_TRUE(IsReported);
      ASSERT_FALSE(J.Buffers.empty() || J.counters().empty());
      for (unsigned N = 0; N != 64; ++N)
        ASSERT_EQ(J.Buffers[0][N], 100 * (Case + 1) + N);
      const uint64_t Waves = target().WaveSize == 64 ? 2 : 3;
      EXPECT_EQ(J.counters()[0], Waves * UpToTheJump);
    }
  }
};

TEST_P(JumpTables, OfDistancesLeadToTheOriginal) {
  expectHooksUpToTheJump(jumpingByTable(R"(
    s_lshl_b32 s6, s6, 2
    s_getpc_b64 s[8:9]
  .Lpc:
    s_add_u32 s8, s8, table-.Lpc
    s_addc_u32 s9, s9, 0
    s_add_u32 s10, s8, s6
    s_addc_u32 s11, s9, 0
    s_load_dword s10, s[10:11], 0x0
    wait_all
    s_add_u32 s10, s8, s10
    s_addc_u32 s11, s9, 0
)",
                                        R"(
  table:
    .long case0-table
    .long case1-table
    .long case2-table
)"));
}

TEST_P(JumpTables, OfAddressesLeadToTheOriginal) {
  expectHooksUpToTheJump(jumpingByTable(R"(
    s_lshl_b32 s6, s6, 3
    s_getpc_b64 s[8:9]
    s_add_u32 s8, s8, table@rel32@lo+4
    s_addc_u32 s9, s9, table@rel32@hi+12
    s_add_u32 s8, s8, s6
    s_addc_u32 s9, s9, 0
    s_load_dwordx2 s[10:11], s[8:9], 0x0
    wait_all
)"),
                         R"(
  .section .data.rel.ro,"aw"
  .p2align 3
  table:
    .quad case0
    .quad case1
    .quad case2
  .text
)");
}

INSTANTIATE_TEST_SUITE_P(Targets, JumpTables, ::testing::ValuesIn(allTargets()),
                         targetName);

/// Functions that compilers do not write.
TEST_P(FunctionsRun, SharedOverlappingAndJumpingCode) {
  AssemblyKernel K;
  K.SGPRs = 64;
  K.Body = R"(
    workgroup_id_x s10
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    s_lshl_b32 s10, s10, 6
    vadd v1, s10, v0
    v_mov_b32_e32 v2, 0
    wait_all
    s_mov_b32 s6, 3
  again:
    s_call_b64 s[30:31], first
    s_call_b64 s[30:31], second
    s_getpc_b64 s[16:17]
  .Lpc:
    s_add_u32 s16, s16, tail-.Lpc
    s_addc_u32 s17, s17, 0
    s_swappc_b64 s[30:31], s[16:17]
    s_cmp_eq_u32 s6, 2
    s_cbranch_scc1 inner
    .long 0x7e0602ff // v_mov_b32_e32 v3, 0x7e040301
  inner:
    .long 0x7e040301 // v_mov_b32_e32 v2, v1
    vadd v2, v2, v3
    s_sub_u32 s6, s6, 1
    s_cmp_eq_u32 s6, 0
    s_getpc_b64 s[16:17]
  .Lpc2:
    s_cbranch_scc1 done
    s_add_u32 s16, s16, again-.Lpc2
    s_addc_u32 s17, s17, -1
    s_setpc_b64 s[16:17]
  done:
    s_getpc_b64 s[16:17]
  .Lpc3:
    s_add_u32 s16, s16, constant-.Lpc3
    s_addc_u32 s17, s17, 0
    s_load_dword s18, s[16:17], 0x0
    wait_all
    vadd v2, s18, v2
    v_lshlrev_b32_e32 v1, 2, v1
    global_store_dword v1, v2, s[4:5]
    s_endpgm
  constant: .long 0xfffff123
)";
  K.Functions = R"(
  .type first,@function
  first:
    v_mov_b32_e32 v3, 5
    vadd v2, v2, v1
  .Lfirst: .size first, .Lfirst-first
  .type second,@function
  second:
    vadd v3, v3, v2
    s_setpc_b64 s[30:31]
  .Lsecond: .size second, .Lsecond-second
  .type tail,@function
  tail:
    v_xor_b32_e32 v3, v2, v3
    s_getpc_b64 s[18:19]
  .Lpc4:
    s_add_u32 s18, s18, second-.Lpc4
    s_addc_u32 s19, s19, -1
    s_setpc_b64 s[18:19]
  .Ltail: .size tail, .Ltail-tail
)";
  expectAllCounted(fromAssembly(K));
}

INSTANTIATE_TEST_SUITE_P(Targets, FunctionsRun,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
