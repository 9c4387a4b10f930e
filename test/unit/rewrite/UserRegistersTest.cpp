// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels find in their scalar registers what they ask for, whatever else hooks
// ask for: all kinds of values at once, and as many preloaded arguments as fit.
#include "ChangedDescriptor.h"
#include "EngineTest.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// "@all" takes whatever there is of the launch, and a stack.
constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i64 @llvm.amdgcn.dispatch.id()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.queue.ptr()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
define void @all() #0 {
  %a = alloca [4 x i32], addrspace(5)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %id = call i64 @llvm.amdgcn.dispatch.id()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %queue = call ptr addrspace(4) @llvm.amdgcn.queue.ptr()
  %args = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %i = and i32 %x, 3
  %on = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %s1 = add i32 %z, %gx
  %s2 = add i32 %s1, %gy
  %s3 = add i32 %s2, %gz
  store volatile i32 %s3, ptr addrspace(5) %on
  %s4 = load volatile i32, ptr addrspace(5) %on
  %grid = load i32, ptr addrspace(4) %packet
  %first = load i32, ptr addrspace(4) %queue
  %n = load i32, ptr addrspace(4) %args
  %t1 = add i32 %s4, %grid
  %t2 = add i32 %t1, %first
  %t3 = add i32 %t2, %n
  %t64 = zext i32 %t3 to i64
  %t = add i64 %t64, %id
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %x
  store i64 %t, ptr addrspace(1) %at
  ret void
}
define void @count() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  ret void
})";

class UserRegisters : public EngineTest {
protected:
  UserRegisters() {
    setHooks(HookText);
    // Two waves in each of eight workgroups.
    Launch = {{256, 2, 2}, {128, 1, 1}};
    Launch.Arguments.words(8 * 2 * 32);
  }
  bool hasArchitectedScratch() const {
    const StringRef P = target().Processor;
    return P == "gfx942" || P == "gfx950" || P.starts_with("gfx11") ||
           P.starts_with("gfx12");
  }
  bool preloads() const {
    const StringRef P = target().Processor;
    return P == "gfx90a" || P == "gfx942" || P == "gfx950";
  }
  bool hasTtmpIds() const { return StringRef(target().Processor) == "gfx1201"; }

  static void setUserSGPRs(amdhsa::kernel_descriptor_t &D, unsigned Count) {
    AMDHSA_BITS_SET(D.compute_pgm_rsrc2,
                    amdhsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT,
                    Count);
  }
  /// With a descriptor that the assembler would not make.
  Object changed(const AssemblyKernel &K,
                 function_ref<void(amdhsa::kernel_descriptor_t &)> Change) {
    return withChangedDescriptor(
        *cantFail(CodeObject::create(cantFail(assembleKernel(target(), K)))),
        Change);
  }

  /// Stores \p Count scalar registers from \p First on, once per wave. \p
  /// Kernarg and \p FirstId are the registers of the arguments' address, unless
  /// s[44:45] has the buffer's already, and of the first workgroup id.
  std::string storing(unsigned First, unsigned Count,
                      std::optional<unsigned> Kernarg, unsigned FirstId) const {
    std::string Text;
    raw_string_ostream OS(Text);
    OS << "v_mov_b32_e32 v2, 0\n";
    for (unsigned N = 0; N != Count; ++N)
      OS << "v_writelane_b32 v2, s" << First + N << ", " << N << "\n";
    if (hasTtmpIds())
      OS << "s_mov_b32 s40, ttmp9\n"
            "s_and_b32 s41, ttmp7, 0xffff\n"
            "s_lshr_b32 s42, ttmp7, 16\n";
    else
      OS << "s_mov_b32 s40, s" << FirstId << "\ns_mov_b32 s41, s" << FirstId + 1
         << "\ns_mov_b32 s42, s" << FirstId + 2 << "\n";
    if (Kernarg)
      OS << "s_load_dwordx2 s[44:45], s[" << *Kernarg << ":" << *Kernarg + 1
         << "], 0x0\n";
    OS << "s_lshl_b32 s41, s41, 1\n"
          "s_lshl_b32 s42, s42, 2\n"
          "s_add_u32 s40, s40, s41\n"
          "s_add_u32 s40, s40, s42\n"
          // Of 128 bytes for each wave.
          "s_lshl_b32 s40, s40, 8\n"
          "v_and_b32_e32 v1, 64, v0\n"
          "v_lshlrev_b32_e32 v1, 1, v1\n"
          "vadd v1, s40, v1\n"
          "v_mbcnt_lo_u32_b32 v3, -1, 0\n"
          "v_lshlrev_b32_e32 v4, 2, v3\n"
          "vadd v1, v1, v4\n"
          "s_mov_b32 exec_lo, -1\n"
       << (target().WaveSize == 64 ? "s_mov_b32 exec_hi, 0\n" : "")
       << "wait_all\n"
          "global_store_dword v1, v2, s[44:45]\n"
          "s_endpgm\n";
    return Text;
  }

  /// Asks for everything that the target has.
  AssemblyKernel askingForAll(unsigned Scratch) const {
    const unsigned Extra = hasArchitectedScratch() ? 0 : 4;
    AssemblyKernel K;
    K.SGPRs = 48;
    K.Scratch = Scratch;
    K.WorkItemIds = 3;
    K.Directives = ".amdhsa_user_sgpr_dispatch_ptr 1\n"
                   ".amdhsa_user_sgpr_queue_ptr 1\n"
                   ".amdhsa_user_sgpr_dispatch_id 1\n"
                   ".amdhsa_user_sgpr_private_segment_size 1\n"
                   ".amdhsa_system_sgpr_workgroup_id_y 1\n"
                   ".amdhsa_system_sgpr_workgroup_id_z 1\n"
                   ".amdhsa_system_sgpr_workgroup_info 1\n";
    if (Extra)
      K.Directives += ".amdhsa_user_sgpr_private_segment_buffer 1\n";
    const unsigned User = 9 + Extra + (Extra && Scratch ? 2 : 0);
    const unsigned System = (hasTtmpIds() ? 1 : 4) + (Extra && Scratch ? 1 : 0);
    K.Body = storing(0, User + System, 4 + Extra, User);
    return K;
  }

  KernelLaunch Launch;
};

TEST_P(UserRegisters, OfEveryKindAreWhereTheyWere) {
  // Addresses are the same in both only where they run side by side.
  Options.RunAlone = false;
  for (unsigned Scratch : {0, 64})
    for (const char *Hook : {"all", "count"}) {
      SCOPED_TRACE(std::to_string(Scratch) + " bytes, " + Hook);
      auto Kernel = fromAssembly(askingForAll(Scratch));
      Judgement J = expectUnchanged(Kernel, Launch, everywhere(Hook));
      for (StateValueArrayForm Form : {StateValueArrayForm::SpilledWith3Sgprs,
                                       StateValueArrayForm::SpilledWith1Sgpr}) {
        Options.Engine.Storage = Form;
        expectUnchanged(Kernel, Launch, everywhere(Hook));
      }
      Options.Engine.Storage.reset();
    }
}

/// Nobody can tell where such a launch would put what.
TEST_P(UserRegisters, OfImpossibleNumberAreRefused) {
  AssemblyKernel K;
  K.Body = "s_endpgm\n.p2align 8\ns_endpgm\n";
  K.Directives = ".amdhsa_user_sgpr_dispatch_ptr 1\n";
  // The original is not to be run, either.
  Options.RunAlone = false;
  auto expectImpossible = [&](const Object &Kernel, bool IsImpossible) {
    if (IsImpossible)
      expectRefused(Kernel, {}, everywhere("all"),
                    RefusalReason::MalformedCodeObject);
    else
      expectUnchanged(Kernel, {}, everywhere("all"));
    if (!IsImpossible)
      return;
    SCOPED_TRACE("poison");
    Options.SelfTest.ScrambleSeed = 0;
    expectRefused(
        Kernel, {}, [](LiftedRepresentation &, InstrumentationTask &) {},
        RefusalReason::MalformedCodeObject);
    Options.SelfTest.ScrambleSeed.reset();
  };
  for (unsigned Count : {0, 3, 4, 16, 17, 31}) {
    SCOPED_TRACE(Count);
    Object Kernel = changed(
        K, [&](amdhsa::kernel_descriptor_t &D) { setUserSGPRs(D, Count); });
    expectImpossible(Kernel, Count < 4 || Count > 16);
  }
  for (unsigned Preloaded : {12, 13, 127}) {
    SCOPED_TRACE(Preloaded);
    Object Kernel = changed(K, [&](amdhsa::kernel_descriptor_t &D) {
      setUserSGPRs(D, 16);
      AMDHSA_BITS_SET(D.kernarg_preload, amdhsa::KERNARG_PRELOAD_SPEC_LENGTH,
                      Preloaded);
    });
    expectImpossible(Kernel, preloads() && Preloaded > 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, UserRegisters,
                         ::testing::ValuesIn(allTargets()), targetName);

class PreloadedArguments : public UserRegisters {
protected:
  /// What the launch passes behind the buffer's address.
  void pass(unsigned Count) {
    for (uint32_t N = 0; N != Count; ++N)
      Launch.Arguments.value(1000 + N);
  }
  /// The kernel of \p Body, which begins where its arguments are loaded.
  static AssemblyKernel preloading(unsigned Count, unsigned Offset,
                                   const std::string &Body,
                                   const std::string &Before = "s_endpgm\n") {
    AssemblyKernel K;
    K.SGPRs = 48;
    K.Directives =
        ".amdhsa_user_sgpr_kernarg_preload_length " + std::to_string(Count) +
        "\n.amdhsa_user_sgpr_kernarg_preload_offset " + std::to_string(Offset) +
        "\n.amdhsa_system_sgpr_workgroup_id_y 1\n"
        ".amdhsa_system_sgpr_workgroup_id_z 1\n";
    K.Body = Before + ".p2align 8\npreloaded:\n" + Body;
    return K;
  }
  /// Under hooks and under poison alone the first wave stores \p Words, from
  /// the given one on.
  void expectStored(const Object &Kernel, unsigned First,
                    const std::vector<uint32_t> &Words) {
    ASSERT_TRUE(Kernel);
    auto expect = [&](const Mutator &Mutate) {
      const Judgement J = expectUnchanged(Kernel, Launch, Mutate);
      ASSERT_FALSE(J.Buffers.empty());
      ASSERT_GE(J.Buffers[0].size(), First + Words.size());
      for (unsigned N = 0; N != Words.size(); ++N)
        EXPECT_EQ(J.Buffers[0][First + N], Words[N]) << N;
    };
    for (const char *Hook : {"all", "count"}) {
      SCOPED_TRACE(Hook);
      expect(everywhere(Hook));
    }
    Options.SelfTest.ScrambleSeed = 0;
    SCOPED_TRACE("poison");
    expect([](LiftedRepresentation &, InstrumentationTask &) {});
  }
  static std::vector<uint32_t> passed(unsigned Count) {
    std::vector<uint32_t> Words(Count);
    std::iota(Words.begin(), Words.end(), 1000);
    return Words;
  }
};

/// Beside the address of the arguments.
TEST_P(PreloadedArguments, FillAllRegistersThatThereAre) {
  pass(12);
  std::string Loads;
  for (unsigned N = 0; N != 14; N += 2)
    Loads += "s_load_dwordx2 s[" + std::to_string(N + 2) + ":" +
             std::to_string(N + 3) + "], s[0:1], " + std::to_string(N * 4) +
             "\n";
  Loads += "s_waitcnt lgkmcnt(0)\ns_branch preloaded\n";
  auto Kernel = fromAssembly(preloading(14, 0, storing(2, 17, 0, 16), Loads));
  ASSERT_TRUE(Kernel);
  ASSERT_EQ(Kernel->kernels().front().Descriptor.userSGPRCount(), 16u);
  expectStored(Kernel, 2, passed(12));
}

/// Which are computed before the arguments are loaded.
TEST_P(PreloadedArguments, LeaveNumbersOfTheWaveTheirRegisters) {
  setHipHooks(R"(
__device__ uint32_t Sum;
LUTHIER_HOOK_ANNOTATE number() {
  luthier::waveAtomicAdd(&Sum, 1 + luthier::waveInGroup());
}
)");
  pass(12);
  const Judgement J = expectUnchanged(
      fromAssembly(preloading(14, 0, storing(2, 17, 0, 16))), Launch,
      [](LiftedRepresentation &, InstrumentationTask &Task) {
        Task.insertHookAtKernelEntry(hook("number"));
        Task.insertHookAtWaveEnd(hook("number"));
      });
  ASSERT_EQ(J.Problem, "");
  const unsigned Groups = 8, Waves = 128 / target().WaveSize;
  EXPECT_EQ(uint32_t(J.variable("Sum")), Groups * Waves * (Waves + 1));
}

TEST_P(PreloadedArguments, BeginInAnyRegisterAndAtAnyOffset) {
  pass(10);
  AssemblyKernel K = preloading(11, 1, storing(2, 15, 0, 14));
  K.Directives += ".amdhsa_user_sgpr_private_segment_size 1\n";
  // Behind the size and half of the buffer's address.
  expectStored(fromAssembly(K), 2, passed(10));
}

/// Compilers always ask for it, for hardware that does not preload.
TEST_P(PreloadedArguments, NeedNoAddressOfThemInRegisters) {
  pass(14);
  AssemblyKernel K = preloading(
      14, 0, "s_mov_b64 s[44:45], s[0:1]\n" + storing(0, 19, std::nullopt, 16));
  Object Kernel = changed(K, [](amdhsa::kernel_descriptor_t &D) {
    AMDHSA_BITS_SET(
        D.kernel_code_properties,
        amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, 0);
    AMDHSA_BITS_SET(D.kernarg_preload, amdhsa::KERNARG_PRELOAD_SPEC_LENGTH, 16);
  });
  expectStored(Kernel, 2, passed(14));
}

TEST_P(PreloadedArguments, AreNotLoadedAgainByAFarLoop) {
  Launch.Arguments.value(uint32_t(3)).value(uint32_t(1000));
  auto Kernel = fromAssembly(preloading(4, 0,
                                        R"(
    s_sub_u32 s4, s4, 1
    s_add_u32 s5, s5, 2
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 done
    s_getpc_b64 s[20:21]
  after:
    s_add_u32 s20, s20, preloaded-after
    s_addc_u32 s21, s21, -1
    s_setpc_b64 s[20:21]
  done:
)" + storing(2, 7, 0, 6)));
  expectStored(Kernel, 2, {0, 1006});
}

TEST_P(PreloadedArguments, AreRefusedWithoutCodeBehindTheSecondEntry) {
  // Nobody knows what such an original runs.
  Options.RunAlone = false;
  AssemblyKernel K = preloading(2, 0, "s_endpgm\n");
  K.Body = "s_endpgm\n";
  expectRefused(fromAssembly(K), Launch, everywhere("all"),
                RefusalReason::UndecodableInstruction);
}

std::vector<EngineTarget> preloadingTargets() {
  std::vector<EngineTarget> Targets = allTargets();
  erase_if(Targets, [](const EngineTarget &T) {
    const StringRef P = T.Processor;
    return P != "gfx90a" && P != "gfx942" && P != "gfx950";
  });
  return Targets;
}
INSTANTIATE_TEST_SUITE_P(Targets, PreloadedArguments,
                         ::testing::ValuesIn(preloadingTargets()), targetName);

} // namespace
