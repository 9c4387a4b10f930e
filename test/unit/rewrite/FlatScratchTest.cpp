// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FLAT_SCRATCH is where scratch instructions find a wave's memory, but to a
// kernel that uses none it is two more scalar registers, whose values a stack
// of hooks must not replace, nor take for an address.
#include "EngineTest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define void @stack() #0 {
  %a = alloca [32 x i32], addrspace(5)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %l, 31
  %at = getelementptr i32, ptr addrspace(5) %a, i32 %i
  store volatile i32 %l, ptr addrspace(5) %at
  %v = load volatile i32, ptr addrspace(5) %at
  %out = getelementptr i64, ptr addrspace(1) @Counters, i32 %l
  %v64 = zext i32 %v to i64
  store i64 %v64, ptr addrspace(1) %out
  ret void
}
define void @count() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  ret void
})";

class FlatScratch : public EngineTest {
protected:
  FlatScratch() {
    setHooks(HookText);
    Launch.Arguments.buffer(std::vector<uint32_t>(64, 0x4321));
  }
  bool isHardwareRegister() const {
    return StringRef(target().Processor) == "gfx1030";
  }

  /// Leaves the sum of both halves in the buffer; \p Write may use s6 and s7.
  AssemblyKernel storing(const std::string &Write) const {
    AssemblyKernel K;
    K.Body = R"(
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_and_b32_e32 v0, 0x3ff, v0
      v_lshlrev_b32_e32 v1, 2, v0
      wait_all
)" + Write + R"(
      v_mov_b32_e32 v2, 1
      s_nop 1
)" +
             (isHardwareRegister()
                  ? "s_getreg_b32 s8, hwreg(HW_REG_FLAT_SCR_LO)\n"
                    "s_getreg_b32 s9, hwreg(HW_REG_FLAT_SCR_HI)\n"
                  : "s_mov_b64 s[8:9], flat_scratch\n") +
             R"(
      s_add_u32 s8, s8, s9
      vadd v2, s8, v2
      global_store_dword v1, v2, s[4:5]
      s_endpgm
)";
    return K;
  }
  AssemblyKernel storingConstants() const {
    return storing(isHardwareRegister()
                       ? "s_mov_b32 s6, 0x12345\n"
                         "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6\n"
                         "s_movk_i32 s7, 0x67\n"
                         "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s7\n"
                       : "s_mov_b32 flat_scratch_lo, 0x12345\n"
                         "s_mov_b32 flat_scratch_hi, 0x67\n");
  }
  void refuseStack(const AssemblyKernel &K) {
    expectRefused(fromAssembly(K), Launch, everywhere("stack"),
                  RefusalReason::InstrumentationStack);
  }

  KernelLaunch Launch;
};

/// Elsewhere launches set it up, and code cannot.
class WritableFlatScratch : public FlatScratch {};
INSTANTIATE_TEST_SUITE_P(Targets, WritableFlatScratch,
                         ::testing::ValuesIn(targetsOf({"gfx906", "gfx908",
                                                        "gfx90a", "gfx1030"})),
                         targetName);
/// Where it is a pair of scalar registers.
class FlatScratchInScalars : public FlatScratch {};
INSTANTIATE_TEST_SUITE_P(
    Targets, FlatScratchInScalars,
    ::testing::ValuesIn(targetsOf({"gfx906", "gfx908", "gfx90a"})), targetName);

TEST_P(WritableFlatScratch, KeepsItsValuesAroundHooksWithoutStack) {
  Judgement J = expectUnchanged(fromAssembly(storingConstants()), Launch,
                                everywhere("count"));
  ASSERT_FALSE(J.Buffers.empty());
  EXPECT_EQ(J.Buffers[0][7], 0x12345u + 0x67 + 1);
}

TEST_P(WritableFlatScratch, HasNoRoomForAStackWhereItHoldsOtherValues) {
  refuseStack(storingConstants());
  for (StateValueArrayForm Form : {StateValueArrayForm::SpilledWith3Sgprs,
                                   StateValueArrayForm::SpilledWith1Sgpr}) {
    Options.Engine.Storage = Form;
    refuseStack(storingConstants());
  }
}

TEST_P(FlatScratchInScalars, MayBeLoadedInsteadOfWritten) {
  refuseStack(storing("s_load_dwordx2 flat_scratch, s[4:5], 0x0\n"
                      "s_waitcnt lgkmcnt(0)\n"));
}

/// s[2:3] and s5 are what the launch gives for that.
TEST_P(WritableFlatScratch, MayBeWrittenOnceMoreAfterItWasSetUp) {
  const std::string SetUp = isHardwareRegister()
                                ? "s_add_u32 s6, s2, s5\ns_addc_u32 s7, s3, 0\n"
                                  "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6\n"
                                  "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s7\n"
                                : "s_add_u32 flat_scratch_lo, s2, s5\n"
                                  "s_addc_u32 flat_scratch_hi, s3, 0\n";
  auto begin = [&](AssemblyKernel K) {
    K.Body.insert(0, SetUp);
    K.Scratch = 16;
    return fromAssembly(K);
  };
  expectRefused(begin(storingConstants()), Launch, everywhere("stack"),
                RefusalReason::InstrumentationStack);
  AssemblyKernel Usual;
  Usual.Body = "v_mov_b32_e32 v1, 3\ns_nop 0\ns_endpgm\n";
  Judgement J = expectUnchanged(begin(Usual), Launch, everywhere("stack"));
  if (J.Problem.empty())
    for (unsigned N = 0; N != 64; ++N)
      ASSERT_EQ(J.counters()[N], N);
}

/// Scrambling that would have liked to overwrite the stack, too.
TEST_P(WritableFlatScratch, LeavesGarbageInRegistersAloneWhereNoStackFits) {
  const Object K = fromAssembly(storingConstants());
  auto poison = [](std::optional<bool> WhereHooksFit) {
    return [=](LiftedRepresentation &, InstrumentationTask &Task) {
      luthier::detail::contentsOf(Task).Test.RegisterSeed = 1;
      if (WhereHooksFit)
        luthier::detail::contentsOf(Task).Test = {1, 1, *WhereHooksFit};
    };
  };
  const Judgement Registers = expectUnchanged(K, Launch, poison(std::nullopt)),
                  Both = expectUnchanged(K, Launch, poison(true));
  EXPECT_EQ(Both.Instrumented.CodeObject, Registers.Instrumented.CodeObject);
  EXPECT_FALSE(Both.Instrumented.CodeObject.empty());
  expectRefused(K, Launch, poison(false), RefusalReason::InstrumentationStack);
  // A hook of the task's own is not left out.
  auto withHook = [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
    poison(true)(LR, Task);
    everywhere("count")(LR, Task);
  };
  expectRefused(K, Launch, withHook, RefusalReason::InstrumentationStack);
  AssemblyKernel Roomy;
  Roomy.Body = "v_mov_b32_e32 v1, 3\ns_nop 0\ns_endpgm\n";
  EXPECT_GT(expectUnchanged(fromAssembly(Roomy), Launch, poison(true))
                .Instrumented.Report.StackBytes,
            0u);
}

/// A wave's scratch has a limit, and a launch beyond it would end the process.
TEST_P(FlatScratch, IsRefusedBeyondWhatHardwareGives) {
  setHooks(R"(
define void @huge() #0 {
  %a = alloca [70000 x i32], addrspace(5)
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %own = getelementptr i32, ptr addrspace(5) %a, i32 %lane
  store volatile i32 3, ptr addrspace(5) %own
  ret void
})");
  AssemblyKernel K;
  K.Body = "s_endpgm\n";
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  expectRefused(
      fromAssembly(K), Launch,
      [](LiftedRepresentation &, InstrumentationTask &Task) {
        Task.insertHookAtKernelEntry(hook("huge"));
      },
      RefusalReason::InstrumentationStack);
}

INSTANTIATE_TEST_SUITE_P(Targets, FlatScratch,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
