// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legal code that compilers make rarely or never, scrambled or with hooks
// everywhere.
#include "EngineTest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <cstring>
#include <gmock/gmock.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class UnusualCode : public EngineTest {
protected:
  /// v8 is the offset of the work-item's word behind s[4:5]; \p Body leaves
  /// what goes there in v9.
  AssemblyKernel storing(const std::string &Body) const {
    AssemblyKernel K;
    K.VGPRs = 48;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v8, 2, v0\n"
             "wait_all\n" +
             Body +
             "\nglobal_store_dword v8, v9, s[4:5]\n"
             "s_endpgm\n";
    return K;
  }

  /// Under some kinds of garbage, so that none is right by chance.
  void expectSurvives(const AssemblyKernel &K, uint32_t Result,
                      unsigned Items = 64) {
    Object Kernel = fromAssembly(K);
    if (!Kernel)
      return;
    KernelLaunch Launch{{Items, 1, 1}, {Items, 1, 1}};
    Launch.Arguments.words(64);
    Options.SelfTest.ScrambleSeed = 0;
    for (uint64_t Seed = 1; Seed <= 6; ++Seed) {
      SCOPED_TRACE(Seed);
      Options.SelfTest.ScrambleSeed = Seed;
      Judgement J = expectUnchanged(Kernel, Launch, [](auto &, auto &) {});
      ASSERT_EQ(J.Buffers.at(0).at(5), Result);
    }
  }

  /// With a hook before each instruction.
  Judgement expectCounted(const AssemblyKernel &K) {
    setHooks(R"(
define void @count() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  ret void
})");
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(512);
    return expectUnchanged(fromAssembly(K), Launch, everywhere("count"));
  }

  static std::vector<uint32_t> wordsOf(const InstrumentedKernel &K) {
    std::vector<uint32_t> Words(K.CodeObject.size() / sizeof(uint32_t));
    std::memcpy(Words.data(), K.CodeObject.data(),
                Words.size() * sizeof(uint32_t));
    return Words;
  }

  static constexpr const char *StackHook = R"(
define void @stack() #0 {
  %a = alloca [4 x i32], addrspace(5)
  store volatile i32 3, ptr addrspace(5) %a
  %v = load volatile i32, ptr addrspace(5) %a
  %w = zext i32 %v to i64
  %old = atomicrmw add ptr addrspace(1) @Counters, i64 %w syncscope("agent") monotonic
  ret void
})";

  static constexpr const char *FourValues = "v_mov_b32_e32 v1, 11\n"
                                            "v_mov_b32_e32 v2, 22\n"
                                            "v_mov_b32_e32 v3, 33\n"
                                            "v_mov_b32_e32 v4, 44\n";
};

// What one feature is about runs on the targets that have it.
class UnusualCodeOfGfx9 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeOfGfx9,
                         ::testing::ValuesIn(gfx9Targets()), targetName);
class UnusualCodeBeforeGfx940 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(
    Targets, UnusualCodeBeforeGfx940,
    ::testing::ValuesIn(targetsOf({"gfx906", "gfx908", "gfx90a"})), targetName);
class UnusualCodeSinceGfx90a : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(
    Targets, UnusualCodeSinceGfx90a,
    ::testing::ValuesIn(targetsOf({"gfx90a", "gfx942", "gfx950"})), targetName);
class UnusualCodeOfRdna : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeOfRdna,
                         ::testing::ValuesIn(rdnaTargets()), targetName);
class UnusualCodeInWavesOf32 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeInWavesOf32,
                         ::testing::ValuesIn(targetsWhere([](const auto &T) {
                           return T.WaveSize == 32;
                         })),
                         targetName);
/// The last RDNA with SDWA.
class UnusualCodeOfGfx10 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeOfGfx10,
                         ::testing::ValuesIn(targetsOf({"gfx1030"})),
                         targetName);
class UnusualCodeSinceGfx11 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeSinceGfx11,
                         ::testing::ValuesIn(targetsOf({"gfx1100", "gfx1201"})),
                         targetName);
/// Where the status register holds SCC.
class UnusualCodeBeforeGfx12 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeBeforeGfx12,
                         ::testing::ValuesIn(targetsWhere([](const auto &T) {
                           return StringRef(T.Processor) != "gfx1201";
                         })),
                         targetName);
class UnusualCodeOfGfx12 : public UnusualCode {};
INSTANTIATE_TEST_SUITE_P(Targets, UnusualCodeOfGfx12,
                         ::testing::ValuesIn(targetsOf({"gfx1201"})),
                         targetName);

// -- Modes of gfx9

TEST_P(UnusualCodeOfGfx9, SwitchesIndexModeOnThroughTheModeRegister) {
  expectSurvives(storing(std::string(FourValues) + R"(
    s_movk_i32 m0, 0x1002
    s_nop 4
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1
    s_nop 4
    v_mov_b32_e32 v9, v1
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0
    s_nop 4)"),
                 33);
}

TEST_P(UnusualCodeOfGfx9, CallsFunctionsInIndexMode) {
  AssemblyKernel K = storing(std::string(FourValues) + R"(
    s_mov_b32 s6, 2
    s_set_gpr_idx_on s6, gpr_idx(SRC0)
    s_call_b64 s[30:31], indexed
    s_set_gpr_idx_off)");
  K.Functions = ".type indexed,@function\nindexed:\nv_mov_b32_e32 v9, v1\n"
                "s_setpc_b64 s[30:31]\n.Li:\n.size indexed, .Li-indexed\n";
  expectSurvives(K, 33);
}

TEST_P(UnusualCodeOfGfx9, SkipsVectorInstructions) {
  expectSurvives(storing(R"(
    v_mov_b32_e32 v9, 5
    s_mov_b32 s7, 1
    s_nop 4
    s_setvskip s7, 0
    s_nop 4
    v_mov_b32_e32 v9, 7
    s_setvskip 0, 0
    s_nop 4)"),
                 5);
}

// -- Indexed instructions of gfx10 and later

TEST_P(UnusualCodeOfRdna, SwapsIndexedRegisters) {
  expectSurvives(storing(std::string(FourValues) + R"(
    v_mov_b32_e32 v6, 66
    s_mov_b32 m0, 0x20001
    v_swaprel_b32 v1, v5
    v_mov_b32_e32 v9, v3)"),
                 66);
}

TEST_P(UnusualCodeOfGfx10, MovesIndexedRegistersBytewise) {
  // Nothing names v10.
  AssemblyKernel K = storing(R"(
    v_mov_b32_e32 v1, 11
    v_mov_b32_e32 v5, 0
    s_movk_i32 m0, 10
    v_movreld_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:DWORD
    v_mov_b32_e32 v2, 5
    s_nop 0
    v_mov_b32_e32 v9, 0
    v_movrels_b32_sdwa v9, v0 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:DWORD)");
  Judgement J = expectCounted(K);
  ASSERT_FALSE(J.Buffers.empty());
  EXPECT_EQ(J.Buffers[0][5], 11u);
  expectSurvives(K, 11);
}

TEST_P(UnusualCodeOfRdna, MovesBetweenIndexedScalars) {
  // Nothing names s20 and s22.
  AssemblyKernel K = storing(R"(
    s_mov_b32 s8, 11
    s_mov_b32 s9, 22
    s_mov_b32 s10, 33
    s_mov_b32 m0, 12 << 16
    s_movrelsd_2_b32 s8, s10
    s_mov_b32 m0, 12
    s_nop 0
    s_nop 0
    s_movrelsd_2_b32 s9, s8
    v_mov_b32_e32 v9, s9)");
  K.SGPRs = 24;
  Judgement J = expectCounted(K);
  ASSERT_FALSE(J.Buffers.empty());
  EXPECT_EQ(J.Buffers[0][5], 33u);
}

// -- What reads or keeps more than it seems

TEST_P(UnusualCodeBeforeGfx12, ReadsSccAsAPartOfTheStatus) {
  expectSurvives(storing(R"(
    s_cmp_lg_u32 s4, s4
    s_nop 2
    s_getreg_b32 s6, hwreg(HW_REG_STATUS, 0, 1)
    v_mov_b32_e32 v9, s6)"),
                 0);
}

TEST_P(UnusualCodeInWavesOf32, NamesLanesBeyondTheWave) {
  // Lane 33 is lane 1.
  expectSurvives(storing(R"(
    s_mov_b32 s6, exec_lo
    s_mov_b32 s7, -1
    v_writelane_b32 v10, exec_lo, 1
    v_writelane_b32 v10, s7, 33
    s_mov_b32 exec_lo, -1
    v_mbcnt_lo_u32_b32 v8, -1, 0
    v_lshlrev_b32_e32 v8, 2, v8
    v_mov_b32_e32 v9, 5
    s_mov_b32 exec_lo, s6
    s_nop 0
    v_mov_b32_e32 v9, 7
    v_readlane_b32 s8, v10, 1
    s_mov_b32 exec_lo, s8)"),
                 7, /*Items=*/16);
}

constexpr const char *AllLanes = R"(
    v_mbcnt_lo_u32_b32 v8, -1, 0
    v_mbcnt_hi_u32_b32 v8, -1, v8
    v_lshlrev_b32_e32 v8, 2, v8
    s_mov_b64 s[6:7], exec
    v_writelane_b32 v40, s6, 0
    v_writelane_b32 v40, s7, 1
    s_mov_b64 exec, -1
    v_mbcnt_lo_u32_b32 v8, -1, 0
    v_mbcnt_hi_u32_b32 v8, -1, v8
    v_lshlrev_b32_e32 v8, 2, v8
    v_mov_b32_e32 v9, 5
    s_mov_b64 exec, s[6:7]
    s_nop 0
    v_mov_b32_e32 v9, 7
)";

/// Whatever else they do with them: all lanes are active after the call.
TEST_P(UnusualCodeOfGfx9, CallsWhatDoesNotKeepTheUsualRegisters) {
  for (const char *Begin : {"", "global_load_dword v40, v8, s[4:5]\nwait_all\n"
                                "global_store_dword v8, v40, s[4:5]\n"}) {
    SCOPED_TRACE(Begin);
    AssemblyKernel K = storing(std::string(AllLanes) + R"(
    s_call_b64 s[30:31], careless
    v_readlane_b32 s10, v40, 0
    v_readlane_b32 s11, v40, 1
    s_nop 4
    s_mov_b64 exec, s[10:11])");
    K.Functions = ".type careless,@function\ncareless:\n" + std::string(Begin) +
                  "s_mov_b32 s12, -1\n"
                  "v_writelane_b32 v40, s12, 0\nv_writelane_b32 v40, s12, 1\n"
                  "s_setpc_b64 s[30:31]\n.Lc:\n.size careless, .Lc-careless\n";
    expectSurvives(K, 7, /*Items=*/16);
  }
}

TEST_P(UnusualCodeOfGfx9, ComparesWhatIsSkipped) {
  expectSurvives(storing(std::string(AllLanes) + R"(
    s_mov_b64 s[10:11], -1
    s_mov_b32 s13, 1
    s_nop 4
    s_setvskip s13, 0
    s_nop 4
    v_cmp_eq_u32_e64 s[10:11], v8, v8
    s_setvskip 0, 0
    s_nop 4
    s_mov_b64 exec, s[10:11])"),
                 7, /*Items=*/16);
}

TEST_P(UnusualCodeOfRdna, EntersClausesInTheMiddle) {
  AssemblyKernel K = storing(R"(
    s_movk_i32 s7, 2
    s_clause 0x3
    global_load_dword v1, v8, s[4:5]
    global_load_dword v2, v8, s[4:5] offset:256
  middle:
    global_load_dword v3, v8, s[4:5] offset:512
    global_load_dword v4, v8, s[4:5] offset:768
    s_sub_u32 s7, s7, 1
    s_cmp_lg_u32 s7, 0
    s_cbranch_scc1 middle
    wait_all
    vadd v9, v1, v4)");
  Judgement J = expectCounted(K);
  // All lanes are active throughout.
  EXPECT_EQ(J.counters().at(0), J.WaveInstructions * target().WaveSize);
  EXPECT_GT(J.WaveInstructions, 0u);
}

// -- At the seams

/// The wave's lanes all jump over what follows v_cmpx.
TEST_P(UnusualCodeOfRdna, PermutesBehindHooksThatCompare) {
  setHooks(R"(
define void @rare() #0 {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %c = icmp ugt i32 %lane, 99
  br i1 %c, label %some, label %end
some:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  br label %end
end:
  ret void
})");
  const AssemblyKernel K = storing(R"(
    s_mov_b32 s6, 0x76543210
    s_mov_b32 s7, 0xfedcba98
    v_permlane16_b32 v9, v0, s6, s7
    v_permlanex16_b32 v9, v9, s6, s7)");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  Judgement J = expectUnchanged(fromAssembly(K), Launch, everywhere("rare"));
  ASSERT_FALSE(J.Buffers.empty());
  EXPECT_EQ(J.Buffers[0][5], 21u) << "the other row's";
}

/// Such a wave must not have stores to its stack on the way, and gfx11 wants an
/// s_nop right before the message.
TEST_P(UnusualCodeSinceGfx11, GivesVectorRegistersBackBehindHooks) {
  const StringRef P = target().Processor;
  constexpr uint32_t Message = 0xbfb60003, Nop = 0xbf800000;
  const uint32_t Wait = P == "gfx1100" ? 0xbc7c0000  // s_waitcnt_vscnt null, 0
                                       : 0xbfc10000; // s_wait_storecnt 0
  AssemblyKernel K = storing("v_mov_b32_e32 v9, 7\n");
  K.Body.insert(K.Body.rfind("s_endpgm"),
                "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  for (bool UsesStack : {true, false}) {
    SCOPED_TRACE(UsesStack);
    Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &, InstrumentationTask &Task) {
          luthier::detail::contentsOf(Task).Test.RegisterSeed = 1;
          if (UsesStack)
            luthier::detail::contentsOf(Task).Test.StackSeed = 1;
        });
    const std::vector<uint32_t> Words = wordsOf(J.Instrumented);
    const auto At = find(Words, Message);
    ASSERT_TRUE(At - Words.begin() > 2 && At != Words.end());
    EXPECT_EQ(At[-1], Nop);
    EXPECT_EQ(At[-2] == Wait, UsesStack);
  }
  // The stores of a hook some way before.
  setHooks(StackHook);
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        Task.insertHookBefore(LR.kernel().front().front(), hook("stack"));
      });
  const std::vector<uint32_t> Words = wordsOf(J.Instrumented);
  const auto At = find(Words, Message);
  ASSERT_TRUE(At - Words.begin() > 2 && At != Words.end());
  EXPECT_EQ(At[-1], Nop);
  EXPECT_EQ(At[-2], Wait);
}

/// Hooks do not wait for what hardware waits for outside of that mode.
TEST_P(UnusualCodeOfGfx12, LeavesDependenciesToTheHardwareWithHooks) {
  // Encodings; see s_setreg_imm32_b32 in the RDNA4 ISA.
  const Judgement J = expectCounted(
      storing("s_setreg_imm32_b32 hwreg(26, 0, 2), 2\n"
              "s_setreg_imm32_b32 hwreg(26, 0, 5), 0x1e\n"
              "s_setreg_imm32_b32 hwreg(26, 1, 1), 1\n"
              "s_setreg_imm32_b32 hwreg(26, 4, 1), 1\n"
              "s_mov_b32 s6, 2\n"
              "s_setreg_b32 hwreg(26, 0, 2), s6\n"
              "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 2), 3\n"
              "v_mov_b32_e32 v9, 3"));
  ASSERT_TRUE(J.Problem.empty());
  const std::vector<uint32_t> Words = wordsOf(J.Instrumented);
  std::vector<std::pair<uint32_t, uint32_t>> Written;
  for (size_t N = 0; N + 1 < Words.size(); ++N)
    if ((Words[N] >> 16 == 0xb980 && (Words[N] & 0x3f) == 26) ||
        (Words[N] == 0xb9800801))
      Written.push_back({Words[N] & 0xffff, Words[N + 1]});
    else
      EXPECT_NE(Words[N], 0xb906081au); // s_setreg_b32 of s6
  EXPECT_THAT(Written, testing::ElementsAre(
                           std::pair(0x081a, 0), std::pair(0x201a, 0x1c),
                           std::pair(0x005a, 0), std::pair(0x011a, 1),
                           std::pair(0x081a, 0), std::pair(0x0801, 3)));
}

/// VCC and FLAT_SCRATCH are the last of the registers that a wave has.
TEST_P(UnusualCodeBeforeGfx940, KeepsLastScalarsApartFromTheirsOfHooks) {
  const StringRef P = target().Processor;
  // The assembler counts four for XNACK: 96, of which FLAT_SCRATCH would be
  // s[90:91], and VCC not the application's.
  AssemblyKernel K = storing("s_mov_b32 s91, 7\ns_mov_b32 s90, 8\n"
                             "s_nop 0\ns_nop 0\n"
                             "v_mov_b32_e32 v9, s91\n");
  K.SGPRs = 92;
  K.VGPRs = 24; // So that these do not limit waves.
  K.Directives = ".amdhsa_reserve_vcc 0\n.amdhsa_reserve_flat_scratch 0\n";
  const RegisterFileTraits &Traits = *registerFileTraits(P);
  auto allocated = [&](const Judgement &J) {
    auto After = CodeObject::create(J.Instrumented.CodeObject);
    return After ? (*After)->kernels().front().Descriptor.allocatedSGPRs(Traits)
                 : (consumeError(After.takeError()), 0);
  };
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(512);
  setHooks(StackHook);
  const Object Kernel = fromAssembly(K);
  EXPECT_GE(allocated(expectUnchanged(Kernel, Launch, everywhere("stack"))),
            92 + Traits.ExtraSGPRs);
  // That costs a wave, which these policies do not pay.
  for (RegisterPolicy Policy :
       {RegisterPolicy::KeepOccupancy, RegisterPolicy::NoGrow}) {
    Options.Engine.Policy = Policy;
    expectRefused(Kernel, Launch, everywhere("stack"),
                  RefusalReason::RegisterBudget);
  }
}

/// Where a call goes that takes its address from memory is not known.
TEST_P(UnusualCodeSinceGfx90a, ReturnsFromUnknownCodeDuringMatrixOperations) {
  AssemblyKernel K = storing(R"(
    v_mov_b32_e32 v1, 1.0
    v_mov_b32_e32 v9, 3
    s_getpc_b64 s[6:7]
  .Lhere:
    s_load_dword s10, s[4:5], 0x0
    wait_all
    s_add_u32 s10, s10, unknown-.Lhere
    s_add_u32 s6, s6, s10
    s_addc_u32 s7, s7, 0
    s_swappc_b64 s[30:31], s[6:7]
    wait_all
    s_nop 15
    s_nop 15
    v_mov_b32_e32 v20, 3
    v_mov_b32_e32 v21, 3
    s_cselect_b32 s11, 1, 0
    v_mov_b32_e32 v22, s11)");
  K.VGPRs = 64;
  K.Functions = ".type unknown,@function\nunknown:\n"
                "v_mfma_f32_32x32x1f32 v[16:47], v1, v1, 0\n"
                "s_setpc_b64 s[30:31]\n.Lu:\n.size unknown, .Lu-unknown\n";
  expectSurvives(K, 3);
}

} // namespace
