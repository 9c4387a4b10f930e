// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks read and write the application's registers.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/Lifter.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

const char *Kernel = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_add_u32_e32 v5, 1000, v0
    v_accvgpr_write_b32 a3, v5
    s_mov_b32 s6, 4321
    s_mov_b32 m0, 77
    v_cmp_gt_u32_e32 vcc, 10, v0
    s_cmp_eq_u32 s6, s6
    v_mov_b32_e32 v2, v5
    s_cselect_b32 s7, 1, 2
    v_cndmask_b32_e32 v3, 0, v2, vcc
    v_add_u32_e32 v3, s7, v3
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[4:5]
    s_endpgm
)";

class RegisterAccess : public EngineTest {
protected:
  RegisterAccess() { Launch.Arguments.words(64); }
  Object assemble(const char *Body) {
    AssemblyKernel K;
    K.Body = Body;
    K.AGPRs = 8;
    return fromAssembly(K);
  }
  /// Calls \p Hook before `v_mov_b32 v2, v5`.
  static Mutator beforeMove(const char *Hook,
                            std::vector<HookArgument> Arguments = {}) {
    return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
      for (MachineInstr &MI : LR.kernel().front())
        if (MI.getOpcode() == AMDGPU::V_MOV_B32_e32)
          Task.insertHookBefore(MI, hook(Hook), Arguments);
    };
  }

  /// A hook that stores \p Type "%x" of each lane to Counters[lane].
  static std::string storing(const std::string &Get, const char *Type) {
    return "define void @store() #0 {\n" + Get + R"(
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %lane
  store )" +
           Type + R"( %x, ptr addrspace(1) %p
  ret void
}
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare i64 @"luthier::readReg.i64.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
declare void @"luthier::writeReg.i32.i64"(i32, i64) #3
)";
  }

  void instrument(const char *Body, const Mutator &Mutate) {
    J = expectUnchanged(assemble(Body), Launch, Mutate);
  }
  uint64_t stored(unsigned Lane) {
    return J.Problem.empty() ? J.counters().at(Lane) : ~uint64_t(0);
  }
  void read(unsigned Reg, unsigned Bits) {
    std::string Type = "i" + std::to_string(Bits);
    setHooks(storing("%x = call " + Type + " @\"luthier::readReg." + Type +
                         ".i32\"(i32 " + std::to_string(Reg) + ")",
                     Type.c_str()));
    instrument(Kernel, beforeMove("store"));
  }
  /// What the engine has made of the kernel, or null.
  std::unique_ptr<LiftedRepresentation> liftInstrumented() {
    auto Rewritten = CodeObject::create(J.Instrumented.CodeObject);
    if (!Rewritten) {
      ADD_FAILURE() << toString(Rewritten.takeError());
      return nullptr;
    }
    Lifted = std::move(*Rewritten);
    auto LR = liftKernel(Lifted, Lifted->kernels().front());
    if (LR)
      return std::move(*LR);
    ADD_FAILURE() << toString(LR.takeError());
    return nullptr;
  }

  KernelLaunch Launch;
  Judgement J;
  Object Lifted;
};

TEST_P(RegisterAccess, ReadsVectorRegistersLaneByLane) {
  read(AMDGPU::VGPR5, 32);
  EXPECT_EQ(stored(0), 1000u);
  EXPECT_EQ(stored(63), 1063u);
}

TEST_P(RegisterAccess, ReadsAccumulationRegisters) {
  read(AMDGPU::AGPR3, 32);
  EXPECT_EQ(stored(9), 1009u);
}

TEST_P(RegisterAccess, ReadsScalarRegisters) {
  read(AMDGPU::SGPR6, 32);
  EXPECT_EQ(stored(1), 4321u);
}

TEST_P(RegisterAccess, ReadsPairs) {
  read(AMDGPU::SGPR4_SGPR5, 64);
  // The emulator's to choose.
  EXPECT_NE(stored(1), 0u);
  EXPECT_EQ(stored(1), stored(63));
}

TEST_P(RegisterAccess, ReadsFlags) {
  read(AMDGPU::SCC, 32);
  EXPECT_EQ(stored(1), 1u);
  read(AMDGPU::VCC, 64);
  EXPECT_EQ(stored(1), 0x3ffu);
  read(AMDGPU::EXEC, 64);
  EXPECT_EQ(stored(1), ~uint64_t(0));
  read(AMDGPU::M0, 32);
  EXPECT_EQ(stored(1), 77u);
}

TEST_P(RegisterAccess, PassesRegistersAsArguments) {
  setHooks(R"(
define void @store(i32 %v, i32 %a, i32 %s, i64 %vcc, i32 %scc) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %va = add i32 %v, %a
  %vs = add i32 %va, %s
  %vc = add i32 %vs, %scc
  %w = zext i32 %vc to i64
  %x = add i64 %w, %vcc
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %lane
  store i64 %x, ptr addrspace(1) %p
  ret void
})");
  instrument(
      Kernel,
      beforeMove("store", {MCRegister(AMDGPU::VGPR5), MCRegister(AMDGPU::AGPR3),
                           MCRegister(AMDGPU::SGPR6), MCRegister(AMDGPU::VCC),
                           MCRegister(AMDGPU::SCC)}));
  EXPECT_EQ(stored(7), 1007u + 1007u + 4321u + 1u + 0x3ffu);
}

TEST_P(RegisterAccess, RegisterNumbersAreAlwaysCompiledIn) {
  std::string IR =
      storing("%x = call i32 @\"luthier::readReg.i32.i32\"(i32 %r)", "i32");
  IR.replace(IR.find("()"), 2, "(i32 %r)");
  setHooks(IR);
  instrument(Kernel, [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    // More registers than an ordinary parameter would have compiled in.
    unsigned Reg = AMDGPU::VGPR0;
    for (MachineInstr &MI : LR.kernel().front())
      if (Reg <= AMDGPU::VGPR5)
        Task.insertHookBefore(MI, hook("store"), {Reg++});
  });
  EXPECT_EQ(J.Instrumented.Report.Payloads, 6u);
}

TEST_P(RegisterAccess, WaitsForScalarLoadsIntoVCC) {
  // The copy of VCC and its return enclose the landing of a load into it.
  setHooks(R"(
define void @store() #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %is = icmp eq i32 %lo, 3
  br i1 %is, label %then, label %join
then:
  store i32 1, ptr addrspace(1) @Counters
  br label %join
join:
  ret void
})");
  instrument(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dwordx2 vcc, s[4:5], 0x0
    v_mov_b32_e32 v2, v0
    s_waitcnt lgkmcnt(0)
    v_cndmask_b32_e32 v2, 0, v2, vcc
    s_endpgm
  )",
             beforeMove("store"));
  const auto LR = liftInstrumented();
  ASSERT_TRUE(LR);
  const MachineInstr *Before = nullptr;
  for (MachineBasicBlock &MBB : LR->kernel())
    for (MachineInstr &MI : MBB) {
      if (MI.getOpcode() == AMDGPU::S_MOV_B64 && MI.getOperand(1).isReg() &&
          MI.getOperand(1).getReg() == AMDGPU::VCC) {
        ASSERT_TRUE(Before);
        EXPECT_EQ(Before->getOpcode(), AMDGPU::S_WAITCNT);
        return;
      }
      Before = &MI;
    }
  ADD_FAILURE() << "VCC is not saved";
}

TEST_P(RegisterAccess, WritesReachTheApplication) {
  // Results differ, so that there is nothing to compare on the way.
  Options.Seeds = {};
  auto after = [&](unsigned Reg, const char *Type, uint64_t Value) {
    setHooks(storing("%x = add i32 0, 0\ncall void @\"luthier::writeReg.i32." +
                         std::string(Type) + "\"(i32 " + std::to_string(Reg) +
                         ", " + Type + " " + std::to_string(Value) + ")",
                     "i32"));
    Judgement Run = judge(target(), assemble(Kernel), Launch, Hooks,
                          beforeMove("store"), Options);
    EXPECT_FALSE(Run.Refused) << Run.Problem;
    Run.InstrumentedBuffers.resize(1);
    Run.InstrumentedBuffers[0].resize(64);
    return Run.InstrumentedBuffers[0];
  };
  // Lanes 0 to 9 store v5 + 1, the others 1.
  auto Written = after(AMDGPU::VGPR5, "i32", 5);
  EXPECT_EQ(Written[9], 6u);
  EXPECT_EQ(Written[10], 1u);
  Written = after(AMDGPU::VCC, "i64", 0x400);
  EXPECT_EQ(Written[9], 1u);
  EXPECT_EQ(Written[10], 1011u);
  Written = after(AMDGPU::SCC, "i32", 0);
  EXPECT_EQ(Written[9], 1011u);
}

TEST_P(RegisterAccess, WaitsForLoadsIntoWhatItReads) {
  setHooks(storing("%x = call i32 @\"luthier::readReg.i32.i32\"(i32 " +
                       std::to_string(AMDGPU::VGPR5) + ")",
                   "i32"));
  instrument(R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v5, v1, s[4:5]
    v_mov_b32_e32 v2, v1
    s_waitcnt vmcnt(0)
    global_store_dword v1, v5, s[4:5]
    s_endpgm
  )",
             beforeMove("store"));
  const auto LR = liftInstrumented();
  ASSERT_TRUE(LR);
  // Between the load and the first instruction that reads v5 lies a full wait.
  bool Loaded = false, Waited = false;
  for (MachineBasicBlock &MBB : LR->kernel())
    for (MachineInstr &MI : MBB) {
      if (MI.mayLoad() && MI.getNumExplicitDefs() &&
          MI.getOperand(0).getReg() == AMDGPU::VGPR5)
        Loaded = true;
      else if (Loaded && MI.getOpcode() == AMDGPU::S_WAITCNT &&
               MI.getOperand(0).getImm() == 0)
        Waited = true;
      else if (Loaded && MI.readsRegister(AMDGPU::VGPR5, nullptr)) {
        EXPECT_TRUE(Waited);
        return;
      }
    }
  ADD_FAILURE() << "no reader of v5 found";
}

INSTANTIATE_TEST_SUITE_P(Targets, RegisterAccess,
                         ::testing::ValuesIn(targetsOf({"gfx908", "gfx90a",
                                                        "gfx942", "gfx950"})),
                         targetName);

} // namespace
