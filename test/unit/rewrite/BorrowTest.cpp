// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that leave no registers over: hooks run in borrowed ones, and every
// register, flag and lane of the application is as before.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "hook/StateValueArray.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// All of v1.. and s12.. hold values from the beginning to the end, where they
/// are summed up; in between, half of the lanes do something else, and SCC, VCC
/// and M0 are live across it.
AssemblyKernel fullKernel(unsigned VGPRs, unsigned SGPRs,
                          const EngineTarget &T) {
  const bool IsWave32 = T.WaveSize == 32;
  AssemblyKernel K;
  K.VGPRs = VGPRs;
  K.SGPRs = SGPRs;
  const std::string Exec = IsWave32 ? "exec_lo" : "exec";
  const std::string Vcc = IsWave32 ? "vcc_lo" : "vcc";
  const std::string Bits = IsWave32 ? "b32" : "b64";
  const std::string Save = IsWave32 ? "s8" : "s[8:9]";
  raw_string_ostream OS(K.Body);
  OS << "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
        "v_and_b32_e32 v0, 0x3ff, v0\n";
  for (unsigned N = 12; N < SGPRs; ++N)
    OS << "s_mov_b32 s" << N << ", " << 1000 + N << "\n";
  for (unsigned N = 1; N < VGPRs; ++N)
    OS << "v_mul_u32_u24_e32 v" << N << ", " << N % 60 + 2 << ", v0\n";
  OS << "s_mov_b32 m0, 77\n"
     << "v_cmp_lt_u32_e32 " << Vcc << ", 20, v0\n"
     << "s_mov_" << Bits << " " << Save << ", " << Exec << "\n"
     << "s_and_" << Bits << " " << Exec << ", " << Exec << ", " << Vcc << "\n"
     << "s_cmp_lg_u32 s12, 0\n";
  for (unsigned N = 2; N < VGPRs; N += 3)
    OS << "vadd v" << N << ", v" << N - 1 << ", v" << N << "\n";
  OS << "s_cselect_b32 s6, 5, 6\n"
     << "s_mov_b32 s7, m0\n"
     << "s_mov_" << Bits << " " << Exec << ", " << Save << "\n";
  // Between results from before and after EXEC changes.
  if (StringRef(T.Processor) == "gfx1100")
    OS << "s_waitcnt_depctr 0xfff\n";
  OS << "v_cndmask_b32_e32 v0, v0, v1, " << Vcc << "\n";
  for (unsigned N = 13; N < SGPRs; ++N)
    OS << "s_xor_b32 s6, s6, s" << N << "\n";
  OS << "s_add_u32 s6, s6, s7\n";
  for (unsigned N = 2; N < VGPRs; ++N)
    OS << "v_xor_b32_e32 v0, v0, v" << N << "\n";
  // v1 is two times the lane number.
  OS << "v_xor_b32_e32 v0, s6, v0\n"
        "v_mul_u32_u24_e32 v1, 4, v1\n"
        "v_lshrrev_b32_e32 v1, 0, v1\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_store_dword v1, v0, s[4:5]\n"
        "s_endpgm\n";
  return K;
}

/// Everything that \p Load brings is dead already when it comes: behind the
/// s_nop, all registers get new values, which are summed up.
AssemblyKernel loadingInVain(const std::string &Load, unsigned SGPRs) {
  constexpr unsigned VGPRs = 64;
  AssemblyKernel K;
  K.VGPRs = VGPRs;
  K.SGPRs = SGPRs;
  K.Lds = 1024;
  raw_string_ostream OS(K.Body);
  OS << "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
        "v_and_b32_e32 v0, 0x3ff, v0\n"
        "v_mov_b32_e32 v1, 0\n"
        "wait_all\n"
        "v_mov_b32_e32 v2, s4\n"
        "v_mov_b32_e32 v3, s5\n"
        "s_mov_b32 m0, -1\n"
     << Load << "s_nop 0\nwait_all\n";
  for (unsigned N = 8; N < SGPRs; ++N)
    OS << "s_mov_b32 s" << N << ", " << 1000 + N << "\n";
  for (unsigned N = 4; N < VGPRs; ++N)
    OS << "v_mul_u32_u24_e32 v" << N << ", " << N << ", v0\n";
  OS << "s_mov_b32 s6, 0\n"
        "v_mov_b32_e32 v2, 0\n";
  for (unsigned N = 8; N < SGPRs; ++N)
    OS << "s_xor_b32 s6, s6, s" << N << "\n";
  for (unsigned N = 4; N < VGPRs; ++N)
    OS << "v_xor_b32_e32 v2, v2, v" << N << "\n";
  OS << "v_xor_b32_e32 v2, s6, v2\n"
        "v_lshlrev_b32_e32 v1, 2, v0\n"
        "global_store_dword v1, v2, s[4:5]\n"
        "s_endpgm\n";
  return K;
}

constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @count() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  ret void
}
define void @nothing() #0 {
  ret void
}
define void @state() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 64
  %i = add i32 %x, %b
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %i
  %i64 = zext i32 %i to i64
  store i64 %i64, ptr addrspace(1) %at
  ret void
}
define void @mask(i32 %n) #0 {
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %is = icmp ugt i32 %l, %n
  %v = select i1 %is, i64 5, i64 7
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %l
  store i64 %v, ptr addrspace(1) %at
  ret void
}
define void @wide(i32 %n) #0 {
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 512
  %x = load volatile <16 x i32>, ptr addrspace(1) @Counters
  %y = load volatile <16 x i32>, ptr addrspace(1) %at
  %v = insertelement <16 x i32> %x, i32 %n, i32 3
  %z = mul <16 x i32> %v, %y
  store volatile <16 x i32> %z, ptr addrspace(1) %at
  ret void
}
)";

class Borrow : public EngineTest {
protected:
  Borrow() { setHooks(HookText); }

  Judgement run(unsigned VGPRs, unsigned SGPRs, const char *Hook,
                std::vector<HookArgument> Arguments = {}) {
    KernelLaunch Launch{{60, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(256);
    Options.Engine.Policy = RegisterPolicy::NoGrow;
    return expectUnchanged(fromAssembly(fullKernel(VGPRs, SGPRs, target())),
                           Launch, everywhere(Hook, Arguments));
  }
};

/// More counters than the state has lanes for, in a kernel that needs all of
/// its vector registers: one hook adds to all, another to one of each register.
class BorrowForCounters : public EngineTest {
protected:
  static constexpr uint64_t Large = 0x1fffffff8;

  unsigned numCounters() const {
    return accumulatorCount(target().WaveSize) +
           2 * countersPerVGPR(target().WaveSize) + 1;
  }
  std::string source() const {
    const std::string Count = std::to_string(numCounters()),
                      InState =
                          std::to_string(accumulatorCount(target().WaveSize)),
                      Each = std::to_string(countersPerVGPR(target().WaveSize));
    return "constexpr unsigned Count = " + Count + ", InState = " + InState +
           ", Each = " + Each + R"(;
__device__ uint64_t C[Count];
LUTHIER_HOOK_ANNOTATE add(uint64_t N) {
#pragma unroll
  for (unsigned I = 0; I < Count; ++I)
    luthier::waveAdd(C[I], N + I);
}
LUTHIER_HOOK_ANNOTATE first() { luthier::waveAdd(C[InState], 1); }
LUTHIER_HOOK_ANNOTATE second() { luthier::waveAdd(C[InState + Each], 1); }
LUTHIER_HOOK_ANNOTATE third() { luthier::waveAdd(C[Count - 1], 3); }
LUTHIER_HOOK_ANNOTATE flush() {
#pragma unroll
  for (unsigned I = 0; I < Count; ++I)
    luthier::waveFlush(C[I]);
}
)";
  }
  void run(unsigned VGPRs, unsigned SGPRs) {
    setHipHooks(source());
    KernelLaunch Launch{{60, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(256);
    Options.Engine.Policy = RegisterPolicy::NoGrow;
    const Judgement J = expectUnchanged(
        fromAssembly(fullKernel(VGPRs, SGPRs, target())), Launch,
        [](LiftedRepresentation &LR, InstrumentationTask &Task) {
          everywhere("first")(LR, Task);
          everywhere("add", {Large})(LR, Task);
          everywhere("second")(LR, Task);
          everywhere("third")(LR, Task);
          Task.insertHookAtWaveEnd(hook("flush"));
        });
    ASSERT_EQ(J.Problem, "");
    EXPECT_EQ(J.Instrumented.Report.VGPRsAfter,
              J.Instrumented.Report.VGPRsBefore);
    const unsigned InState = accumulatorCount(target().WaveSize),
                   Second = InState + countersPerVGPR(target().WaveSize),
                   Third = numCounters() - 1;
    const ArrayRef<uint8_t> Sums = J.Variables.at("C");
    ASSERT_EQ(Sums.size(), numCounters() * sizeof(uint64_t));
    for (unsigned I = 0; I < numCounters(); ++I)
      EXPECT_EQ(support::endian::read64le(&Sums[I * sizeof(uint64_t)]),
                J.WaveInstructions * (Large + I + (I == InState) +
                                      (I == Second) + 3 * (I == Third)))
          << I;
  }
};

/// Where registers are dead, a load may still write them.
class BorrowDead : public EngineTest {
protected:
  BorrowDead() {
    setHooks(HookText);
    Options.Engine.Policy = RegisterPolicy::NoGrow;
  }

  /// Where waves always have all of them, there are as many to load.
  unsigned numSGPRs() const { return target().isRdna() ? 104 : 40; }

  /// The hook runs with all the loads under way, or with those in front of each
  /// of them.
  void run(const std::string &Load, const char *Hook = "wide") {
    KernelLaunch Launch;
    Launch.Arguments.words(256);
    auto Kernel = fromAssembly(loadingInVain(Load, numSGPRs()));
    const std::vector<HookArgument> Arguments = {7u};
    Judgement J = expectUnchanged(
        Kernel, Launch, [&](LiftedRepresentation &LR, auto &Task) {
          for (MachineBasicBlock &MBB : LR.kernel())
            for (MachineInstr &MI : MBB)
              if (MI.getOpcode() == AMDGPU::S_NOP)
                Task.insertHookBefore(MI, hook(Hook), Arguments);
        });
    EXPECT_EQ(J.Instrumented.Report.Points, 1u);
    expectUnchanged(Kernel, Launch, everywhere(Hook, Arguments));
  }
};

TEST_P(BorrowDead, VectorsOfGlobalLoads) {
  run(".irp n, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60\n"
      "global_load_dwordx4 v[\\n:\\n + 3], v1, s[4:5] offset:\\n * 4\n"
      ".endr\n");
}

TEST_P(BorrowDead, VectorsOfFlatLoads) {
  run(".irp n, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60\n"
      "flat_load_dwordx4 v[\\n:\\n + 3], v[2:3]\n"
      ".endr\n");
}

TEST_P(BorrowDead, VectorsOfSharedMemory) {
  run(".irp n, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60\n"
      "ds_read_b32 v\\n, v1 offset:16\n"
      "ds_read_b64 v[\\n + 2:\\n + 3], v1 offset:32\n"
      ".endr\n");
}

TEST_P(BorrowDead, Scalars) {
  std::string Loads = "s_load_dwordx8 s[8:15], s[4:5], 0x0\n"
                      "s_load_dwordx8 s[16:23], s[4:5], 0x20\n";
  for (unsigned N = 24; N < numSGPRs(); N += 16)
    Loads += "s_load_dwordx16 s[" + std::to_string(N) + ":" +
             std::to_string(N + 15) + "], s[4:5], 0x40\n";
  run(Loads);
}

TEST_P(BorrowDead, Masks) {
  run("s_load_dwordx2 vcc, s[4:5], 0x0\n", "mask");
  // Which comes the same way as a load.
  if (target().isRdna() && StringRef(target().Processor) != "gfx1030")
    run("s_sendmsg_rtn_b64 vcc, sendmsg(MSG_RTN_GET_REALTIME)\n", "mask");
}

INSTANTIATE_TEST_SUITE_P(Targets, BorrowDead, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(Borrow, VectorRegisters) {
  Judgement J = run(64, 40, "count");
  EXPECT_GT(J.Instrumented.Report.SavedVGPRs, 0u);
  EXPECT_EQ(J.Instrumented.Report.VGPRsAfter,
            J.Instrumented.Report.VGPRsBefore);
}

TEST_P(Borrow, EverythingLiveCanBeSavedAroundEachCall) {
  Options.Engine.SavesAll = true;
  Judgement J = run(40, target().WaveSize == 64 ? 80 : 40, "count");
  const InstrumentationReport &Report = J.Instrumented.Report;
  // Nearly all registers are live at nearly all points.
  EXPECT_GT(Report.SavedVGPRs, 20 * Report.Points);
  EXPECT_GT(Report.SavedSGPRs, 15 * Report.Points);
}

/// It is the first one above the kernel's, and the hook itself uses none.
TEST_P(Borrow, TheVectorRegisterThatKeepsScalarsIsAllocated) {
  Options.Engine.SavesAll = true;
  KernelLaunch Launch{{60, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(256);
  const unsigned SGPRs = target().WaveSize == 64 ? 80 : 40;
  for (unsigned VGPRs = 24; VGPRs < 40; ++VGPRs) {
    SCOPED_TRACE(VGPRs);
    const Judgement J =
        expectUnchanged(fromAssembly(fullKernel(VGPRs, SGPRs, target())),
                        Launch, everywhere("nothing"));
    EXPECT_GT(J.Instrumented.Report.SavedSGPRs, 0u);
  }
}

TEST_P(Borrow, ManyVectorRegisters) { run(64, 40, "wide", {HookArgument(7u)}); }

TEST_P(Borrow, ArgumentsFromEverywhere) {
  KernelLaunch Launch{{60, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(256);
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  expectUnchanged(fromAssembly(fullKernel(64, 96, target())), Launch,
                  [](LiftedRepresentation &LR, auto &Task) {
                    unsigned N = 0;
                    for (MachineBasicBlock &MBB : LR.kernel())
                      for (MachineInstr &MI : MBB)
                        Task.insertHookBefore(MI, hook("wide"),
                                              {HookArgument(N++)});
                  });
}

TEST_P(Borrow, ScalarRegisters) {
  const unsigned All = target().isRdna() ? 106 : 102;
  Judgement J = run(64, All - 1, "wide", {HookArgument(7u)});
  EXPECT_GT(J.Instrumented.Report.SavedSGPRs, 0u);
  // Its accumulation registers are there anyway.
  EXPECT_EQ(J.Instrumented.Report.Storage,
            StringRef(target().Processor) == "gfx908"
                ? StateValueArrayForm::TwoAgprs
                : StateValueArrayForm::SpilledWith1Sgpr);
}

TEST_P(Borrow, WhereEveryScalarRegisterIsUsed) {
  // Some are dead at each point.
  const unsigned All = target().isRdna() ? 106 : 102;
  run(64, All, "wide", {HookArgument(7u)});
}

TEST_P(Borrow, ForLaunchState) {
  Judgement J = run(64, 40, "state");
  if (!J.Problem.empty())
    return;
  for (unsigned N = 0; N != 60; ++N)
    EXPECT_EQ(J.counters()[N], N);
}

TEST_P(Borrow, ForLaunchStateWithAllScalarRegistersButThree) {
  const unsigned All = target().isRdna() ? 106 : 102;
  run(64, All - 4, "state");
  for (StateValueArrayForm Form : {StateValueArrayForm::SpilledWith3Sgprs,
                                   StateValueArrayForm::SpilledWith1Sgpr}) {
    SCOPED_TRACE(unsigned(Form));
    Options.Engine.Storage = Form;
    run(64, All - 4, "state");
  }
}

/// However few the kernel has. The smallest allocations hold no hook at all:
/// these may grow as far as as many waves fit.
TEST_P(Borrow, OfKernelsWithFewRegisters) {
  for (unsigned VGPRs : {4, 12})
    for (const char *Hook : {"state", "wide"}) {
      SCOPED_TRACE(std::to_string(VGPRs) + " VGPRs, " + Hook);
      std::vector<HookArgument> Arguments;
      if (StringRef(Hook) == "wide")
        Arguments.push_back(7u);
      Judgement J = run(VGPRs, 14, Hook, Arguments);
      if (!J.Problem.empty())
        continue;
      const InstrumentationReport &Report = J.Instrumented.Report;
      EXPECT_EQ(Report.WavesAfter, Report.WavesBefore);
      if (VGPRs == 12)
        EXPECT_EQ(Report.VGPRsAfter, Report.VGPRsBefore);
      else
        EXPECT_GE(Report.VGPRsAfter, Report.VGPRsBefore);
    }
}

TEST_P(BorrowForCounters, VectorRegisters) { run(64, 40); }

TEST_P(BorrowForCounters, ScalarRegistersToo) {
  run(64, target().isRdna() ? 106 : 102);
}

INSTANTIATE_TEST_SUITE_P(Targets, Borrow, ::testing::ValuesIn(allTargets()),
                         targetName);
INSTANTIATE_TEST_SUITE_P(Targets, BorrowForCounters,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
