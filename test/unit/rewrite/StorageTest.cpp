// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every storage form, on every target, in kernels that use all registers of one
// file or of all and need each of them: hooks with launch state and a stack run
// at points where nothing is dead, and nothing changes.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Those work-items that are active in the middle of the kernel.
constexpr unsigned FirstActive = 21;

struct Fill {
  unsigned VGPRs = 32, AGPRs = 0, SGPRs = 40;
  unsigned Scratch = 0;
  unsigned MaxWorkgroup = 64;
};

/// From the third instruction on every register is needed until the end: SCC,
/// VCC, M0 and inactive lanes, too. In the middle a vector and a scalar load
/// are under way.
AssemblyKernel fullKernel(const Fill &F, const EngineTarget &T) {
  AssemblyKernel K;
  K.VGPRs = F.VGPRs;
  K.AGPRs = F.AGPRs;
  K.SGPRs = F.SGPRs;
  K.Scratch = F.Scratch;
  K.MaxWorkgroup = F.MaxWorkgroup;
  const bool IsWave32 = T.WaveSize == 32;
  const std::string Exec = IsWave32 ? "exec_lo" : "exec";
  const std::string Vcc = IsWave32 ? "vcc_lo" : "vcc";
  const std::string Bits = IsWave32 ? "b32" : "b64";
  const std::string Save = IsWave32 ? "s8" : "s[8:9]";
  const unsigned Last = F.VGPRs - 1;
  raw_string_ostream OS(K.Body);
  OS << "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
        "v_and_b32_e32 v0, 0x3ff, v0\n"
        "s_waitcnt lgkmcnt(0)\n";
  for (unsigned N = 0; N < F.SGPRs; ++N)
    if (N / 2 != 2 && N / 2 != 4 && N / 2 != 5)
      OS << "s_mov_b32 s" << N << ", " << 1000 + N << "\n";
  if (IsWave32)
    OS << "s_mov_b32 s9, 7\n";
  for (unsigned N = 1; N < F.VGPRs; ++N)
    OS << "v_mul_u32_u24_e32 v" << N << ", " << N % 60 + 2 << ", v0\n";
  for (unsigned N = 0; N < F.AGPRs; ++N)
    OS << "v_accvgpr_write_b32 a" << N << ", v" << N % F.VGPRs << "\n";
  OS << "s_mov_b32 m0, 77\n"
     << "s_load_dwordx2 s[10:11], s[4:5], 0x20\n"
     << "global_load_dword v" << Last << ", v2, s[4:5] offset:16\n"
     << "v_cmp_le_u32_e32 " << Vcc << ", " << FirstActive << ", v0\n"
     << "s_mov_" << Bits << " " << Save << ", " << Exec << "\n"
     << "s_and_" << Bits << " " << Exec << ", " << Exec << ", " << Vcc << "\n"
     << "s_cmp_lg_u32 s12, 0\n"
     << "vadd v3, v4, v3\n"
     << "s_nop 0\n"
     << "vadd v4, v4, v1\n"
     << "s_mov_" << Bits << " " << Exec << ", " << Save << "\n"
     << "s_addc_u32 s7, s7, s6\n"
     << "v_cndmask_b32_e32 v0, v0, v1, " << Vcc << "\n"
     << "s_add_u32 s6, s6, m0\n"
     << "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  for (unsigned N = 0; N < F.SGPRs; ++N)
    if (N / 2 != 2 && N != 6)
      OS << "s_xor_b32 s6, s6, s" << N << "\n";
  for (unsigned N = 2; N < F.VGPRs; ++N)
    OS << "v_xor_b32_e32 v0, v0, v" << N << "\n";
  for (unsigned N = 0; N < F.AGPRs; ++N)
    OS << "v_accvgpr_read_b32 v2, a" << N << "\n"
       << "v_xor_b32_e32 v0, v0, v2\n";
  // v1 is three times the lane number.
  OS << "v_xor_b32_e32 v0, s6, v0\n"
        "v_mul_u32_u24_e32 v1, 4, v1\n"
        "global_store_dword v1, v0, s[4:5] offset:1024\n"
        "s_endpgm\n";
  return K;
}

/// With launch state, work-item ids, and a local array at an index that only
/// shows at run time.
constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @h() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %a = alloca [4 x i32], addrspace(5)
  %i = and i32 %x, 3
  %p = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %s = add i32 %x, %g
  store volatile i32 %s, ptr addrspace(5) %p
  %y = load volatile i32, ptr addrspace(5) %p
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %y
  %v = load i64, ptr addrspace(1) %at
  %w = add i64 %v, 1
  store i64 %w, ptr addrspace(1) %at
  ret void
})";

constexpr StateValueArrayForm AllForms[] = {
    StateValueArrayForm::Vgpr,
    StateValueArrayForm::Agpr,
    StateValueArrayForm::TwoAgprs,
    StateValueArrayForm::AgprAnd3Sgprs,
    StateValueArrayForm::SpilledWith3Sgprs,
    StateValueArrayForm::SpilledWith1Sgpr};

/// AGPRs that a form takes for itself.
unsigned agprsOf(StateValueArrayForm Form) {
  return Form == StateValueArrayForm::TwoAgprs ? 2
         : Form == StateValueArrayForm::Agpr ||
                 Form == StateValueArrayForm::AgprAnd3Sgprs
             ? 1
             : 0;
}
unsigned sgprsOf(StateValueArrayForm Form) {
  return Form == StateValueArrayForm::AgprAnd3Sgprs ||
                 Form == StateValueArrayForm::SpilledWith3Sgprs
             ? 3
             : 0;
}

class Storage : public EngineTest {
protected:
  Storage() { setHooks(HookText); }

  bool hasAGPRs() const {
    StringRef P = target().Processor;
    return P != "gfx906" && P.starts_with("gfx9");
  }
  unsigned allSGPRs() const { return target().isRdna() ? 106 : 102; }
  static constexpr unsigned All = 256;

  KernelLaunch launch() const {
    KernelLaunch Launch{{Items, 1, 1}, {Items > 64 ? Items : 64, 1, 1}};
    Launch.Arguments.words(4096);
    return Launch;
  }

  /// Before each instruction of the middle, and a few elsewhere.
  Mutator aroundTheMiddle() {
    return [this](LiftedRepresentation &LR, InstrumentationTask &Task) {
      Everyone = SomeLanes = 0;
      unsigned Sets = 0, N = 0;
      for (MachineBasicBlock &MBB : LR.kernel())
        for (MachineInstr &MI : MBB) {
          const StringRef Name =
              MI.getMF()->getSubtarget().getInstrInfo()->getName(
                  MI.getOpcode());
          const bool IsMiddle = Sets == 1;
          if (N == 0 || IsMiddle || MI.isTerminator() || Name == "S_WAITCNT" ||
              Name == "S_ADDC_U32") {
            Task.insertHookBefore(MI, hook("h"));
            ++(IsMiddle ? SomeLanes : Everyone);
          }
          Sets += changesExec(MI);
          ++N;
        }
    };
  }
  static bool changesExec(const MachineInstr &MI) {
    const TargetRegisterInfo *TRI =
        MI.getMF()->getSubtarget().getRegisterInfo();
    return any_of(MI.explicit_operands(), [&](const MachineOperand &MO) {
      return MO.isReg() && MO.isDef() &&
             StringRef(TRI->getName(MO.getReg())).starts_with("EXEC");
    });
  }

  Judgement run(const Fill &F, StateValueArrayForm Form) {
    Options.Engine.Storage = Form;
    Judgement J = expectUnchanged(fromAssembly(fullKernel(F, target())),
                                  launch(), aroundTheMiddle());
    if (!J.Problem.empty())
      return J;
    EXPECT_GE(SomeLanes, 4u);
    for (unsigned N = 0; N != Items; ++N)
      EXPECT_EQ(J.counters()[N], Everyone + (N >= FirstActive ? SomeLanes : 0))
          << N;
    EXPECT_EQ(J.Instrumented.Report.Storage, Form);
    return J;
  }
  void refuse(const Fill &F, StateValueArrayForm Form) {
    Options.Engine.Storage = Form;
    expectRefused(fromAssembly(fullKernel(F, target())), launch(),
                  aroundTheMiddle(), RefusalReason::RegisterBudget);
  }
  template <typename Callback> void forEachForm(Callback Check) {
    for (StateValueArrayForm Form : AllForms) {
      SCOPED_TRACE("form " + std::to_string(unsigned(Form)));
      Check(Form);
    }
  }

  unsigned Items = 60;
  uint64_t Everyone = 0, SomeLanes = 0; ///< Points by active lanes.
};

TEST_P(Storage, WithRegistersLeft) {
  forEachForm([&](StateValueArrayForm Form) {
    if (agprsOf(Form) && !hasAGPRs())
      refuse({}, Form);
    else
      run({}, Form);
  });
}

TEST_P(Storage, WhereAllVgprsAreInUse) {
  forEachForm([&](StateValueArrayForm Form) {
    const Fill F{.VGPRs = All};
    if (Form == StateValueArrayForm::Vgpr || (agprsOf(Form) && !hasAGPRs()))
      return refuse(F, Form);
    Judgement J = run(F, Form);
    if (J.Problem.empty())
      EXPECT_GT(J.Instrumented.Report.SavedVGPRs, 0u);
  });
}

class StorageWithAgprs : public Storage {};
INSTANTIATE_TEST_SUITE_P(Targets, StorageWithAgprs,
                         ::testing::ValuesIn(targetsOf({"gfx908", "gfx90a",
                                                        "gfx942", "gfx950"})),
                         targetName);

TEST_P(StorageWithAgprs, WhereAllAgprsAreInUse) {
  forEachForm([&](StateValueArrayForm Form) {
    const Fill F{.AGPRs = All};
    if (agprsOf(Form))
      refuse(F, Form);
    else
      run(F, Form);
  });
}

TEST_P(Storage, WhereAllSgprsAreInUse) {
  forEachForm([&](StateValueArrayForm Form) {
    const Fill F{.SGPRs = allSGPRs()};
    if (sgprsOf(Form) || (agprsOf(Form) && !hasAGPRs()))
      return refuse(F, Form);
    Judgement J = run(F, Form);
    if (J.Problem.empty())
      EXPECT_GT(J.Instrumented.Report.SavedSGPRs, 0u);
  });
}

/// All but what the form keeps for itself.
TEST_P(Storage, WhereEverythingIsInUse) {
  forEachForm([&](StateValueArrayForm Form) {
    Fill F{.VGPRs = All, .SGPRs = allSGPRs()};
    if (hasAGPRs())
      F.AGPRs = All - agprsOf(Form);
    // Pairs are aligned.
    F.SGPRs -= sgprsOf(Form) ? 4 : 0;
    F.VGPRs -= Form == StateValueArrayForm::Vgpr ? 1 : 0;
    if (agprsOf(Form) && !hasAGPRs())
      return refuse(F, Form);
    Judgement J = run(F, Form);
    if (!J.Problem.empty())
      return;
    EXPECT_GT(J.Instrumented.Report.SavedSGPRs, 0u);
    EXPECT_EQ(J.Instrumented.Report.VGPRsAfter,
              J.Instrumented.Report.VGPRsBefore);
  });
}

/// Hooks only where nothing is dead: there is no excuse for any register, and
/// lockstep compares all of them at each instruction.
TEST_P(Storage, KeepsEveryRegisterWhereNothingIsDead) {
  Options.OnlyWhatIsRead = false;
  Fill F{.VGPRs = All, .AGPRs = hasAGPRs() ? All : 0, .SGPRs = allSGPRs()};
  unsigned NumHooks = 0;
  expectUnchanged(fromAssembly(fullKernel(F, target())), launch(),
                  [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
                    unsigned Sets = 0;
                    for (MachineBasicBlock &MBB : LR.kernel())
                      for (MachineInstr &MI : MBB) {
                        if (Sets == 1 && MI.getNumExplicitDefs() == 0 &&
                            !changesExec(MI)) {
                          cantFail(Task.insertHookBefore(MI, hook("h")));
                          ++NumHooks;
                        }
                        Sets += changesExec(MI);
                      }
                  });
  EXPECT_GT(NumHooks, 0u);
}

TEST_P(Storage, ChoosesOneThatFits) {
  Fill F{.VGPRs = All, .AGPRs = hasAGPRs() ? All : 0, .SGPRs = allSGPRs()};
  Judgement J = expectUnchanged(fromAssembly(fullKernel(F, target())), launch(),
                                aroundTheMiddle());
  if (J.Problem.empty())
    EXPECT_EQ(J.Instrumented.Report.Storage,
              StateValueArrayForm::SpilledWith1Sgpr);
}

class StorageBelowGfx12 : public Storage {};
INSTANTIATE_TEST_SUITE_P(Targets, StorageBelowGfx12,
                         ::testing::ValuesIn(targetsWhere([](const auto &T) {
                           return StringRef(T.Processor) != "gfx1201";
                         })),
                         targetName);

/// Nothing reaches a stack above this one without a register for the address;
/// on gfx12 instructions reach all that a wave may have.
TEST_P(StorageBelowGfx12, IsRefusedBeyondTheReachOfInstructions) {
  Fill F{.VGPRs = All, .AGPRs = hasAGPRs() ? All : 0, .SGPRs = allSGPRs()};
  const StringRef P = target().Processor;
  F.Scratch = P == "gfx906" || P == "gfx908" || P == "gfx90a" ? 16384 : 4096;
  refuse(F, StateValueArrayForm::SpilledWith1Sgpr);
}

/// All its waves must be on one compute unit: on some targets that leaves no
/// register more than these.
TEST_P(Storage, KeepsTheLargestWorkgroupLaunchable) {
  Items = 1024;
  const Fill F{.VGPRs = 64, .MaxWorkgroup = Items};
  run(F, StateValueArrayForm::SpilledWith1Sgpr);
  Judgement J = run(F, StateValueArrayForm::SpilledWith3Sgprs);
  if (J.Problem.empty() && StringRef(target().Processor) < "gfx90a" &&
      !target().isRdna())
    EXPECT_EQ(J.Instrumented.Report.VGPRsAfter, 64u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Storage, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
