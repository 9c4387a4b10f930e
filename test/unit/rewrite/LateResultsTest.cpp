// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix and transcendental operations take long, and hardware does not always
// hold back who comes for their result: hooks right behind one, that get a
// register it writes or borrow it, and hooks right in front of one.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// "@seen" puts what it gets beside what the wave has; "@again" gives v1 the
/// value that it has.
std::string hookText() {
  const std::string V1 = std::to_string(unsigned(AMDGPU::VGPR1));
  return R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
define void @seen(i32 %x) #0 {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %l
  %x64 = zext i32 %x to i64
  store i64 %x64, ptr addrspace(1) %at
  ret void
}
define void @again() #0 {
  %zero = load volatile i32, ptr addrspace(1) @Counters
  %x = call i32 @"luthier::readReg.i32.i32"(i32 )" +
         V1 + R"()
  %y = add i32 %x, %zero
  call void @"luthier::writeReg.i32.i32"(i32 )" +
         V1 + R"(, i32 %y)
  ret void
}
define void @wide() #0 {
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 512
  %x = load volatile <16 x i32>, ptr addrspace(1) @Counters
  %y = load volatile <16 x i32>, ptr addrspace(1) %at
  %z = mul <16 x i32> %x, %y
  store volatile <16 x i32> %z, ptr addrspace(1) %at
  ret void
})";
}

std::vector<EngineTarget> targetsWithMatrices() {
  return {{"gfx908", 64}, {"gfx90a", 64}, {"gfx942", 64}, {"gfx950", 64}};
}

class LateResults : public EngineTest {
protected:
  LateResults() {
    setHooks(hookText());
    Launch.Arguments.words(64);
  }

  /// Right behind the instruction whose name begins so, or before it.
  static Mutator at(StringRef Name, const char *Hook,
                    std::vector<HookArgument> Arguments, bool IsBehind) {
    return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
      for (MachineBasicBlock &MBB : LR.kernel())
        for (MachineInstr &MI : MBB) {
          if (!MI.getMF()
                   ->getSubtarget()
                   .getInstrInfo()
                   ->getName(MI.getOpcode())
                   .starts_with(Name))
            continue;
          cantFail(IsBehind ? Task.insertHookAfter(MI, hook(Hook), Arguments)
                            : Task.insertHookBefore(MI, hook(Hook), Arguments));
        }
    };
  }
  static Mutator behind(StringRef Name, const char *Hook,
                        std::vector<HookArgument> Arguments = {}) {
    return at(Name, Hook, std::move(Arguments), true);
  }
  static Mutator before(StringRef Name, const char *Hook) {
    return at(Name, Hook, {}, false);
  }
  /// The hook was given what the kernel has put into its buffer.
  void expectSeen(const Judgement &J) {
    if (!J.Problem.empty())
      return;
    for (unsigned N = 0; N != 64; ++N)
      ASSERT_EQ(J.counters()[N], J.Buffers[0][N]) << N;
  }

  KernelLaunch Launch;
};

class MatrixResults : public LateResults {
protected:
  bool hasOwnFile() const { return StringRef(target().Processor) == "gfx908"; }

  /// The longest operation of all, whose result and addend are these, in
  /// accumulation registers if these are the only ones. Their register 31 is
  /// stored. If not, they are dead behind the operation, and get other values.
  AssemblyKernel multiplying(unsigned Result, unsigned Addend, bool IsStored) {
    const std::string File = hasOwnFile() ? "a" : "v";
    auto tuple = [&](unsigned First) {
      return File + "[" + std::to_string(First) + ":" +
             std::to_string(First + 31) + "]";
    };
    AssemblyKernel K;
    K.VGPRs = 96;
    K.AGPRs = hasOwnFile() ? 96 : 0;
    raw_string_ostream OS(K.Body);
    OS << "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
          "v_and_b32_e32 v0, 0x3ff, v0\n"
          "v_cvt_f32_u32_e32 v1, v0\n"
          "v_mov_b32_e32 v2, 2.0\n"
          "s_waitcnt lgkmcnt(0)\n";
    for (unsigned N = 3; N != 96; ++N)
      OS << "v_mov_b32_e32 v" << N << ", " << N % 60 << "\n";
    if (hasOwnFile())
      for (unsigned N = 0; N != 96; ++N)
        OS << "v_accvgpr_write_b32 a" << N << ", v2\n";
    OS << "s_nop 7\n"
       << "v_mfma_f32_32x32x1f32 " << tuple(Result) << ", v1, v2, "
       << tuple(Addend) << "\n"
       << "s_nop 7\ns_nop 7\ns_nop 7\n"
       << "v_lshlrev_b32_e32 v3, 2, v0\n";
    if (!IsStored)
      OS << "v_mov_b32_e32 v4, 7\n";
    else if (hasOwnFile())
      OS << "v_accvgpr_read_b32 v4, a" << Result + 31 << "\n";
    else
      OS << "v_mov_b32_e32 v4, v" << Result + 31 << "\n";
    OS << "global_store_dword v3, v4, s[4:5]\n"
          "s_endpgm\n";
    return K;
  }
  MCRegister reg(unsigned N) const {
    return hasOwnFile() ? MCRegister(AMDGPU::AGPR0 + N)
                        : MCRegister(AMDGPU::VGPR0 + N);
  }
};

TEST_P(MatrixResults, AreWaitedForWhereHooksGetThem) {
  expectSeen(expectUnchanged(fromAssembly(multiplying(32, 32, true)), Launch,
                             behind("V_MFMA", "seen", {reg(63)})));
  expectUnchanged(fromAssembly(multiplying(32, 64, true)), Launch,
                  everywhere("seen", {reg(63)}));
}

/// The upper registers are those that a hook would borrow.
TEST_P(MatrixResults, AreWaitedForWhereTheyAreBorrowed) {
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  for (bool IsStored : {false, true})
    for (unsigned Result : {32, 64}) {
      SCOPED_TRACE(std::to_string(Result) + (IsStored ? ", live" : ", dead"));
      const unsigned Addend = 96 - Result;
      auto Kernel = fromAssembly(multiplying(Result, Addend, IsStored));
      Judgement J = expectUnchanged(Kernel, Launch, behind("V_MFMA", "wide"));
      EXPECT_EQ(J.Instrumented.Report.VGPRsAfter,
                J.Instrumented.Report.VGPRsBefore);
      expectUnchanged(Kernel, Launch, everywhere("wide"));
    }
}

TEST_P(MatrixResults, ComeOfOperandsThatHooksHaveJustLeft) {
  auto Kernel = fromAssembly(multiplying(32, 64, true));
  expectUnchanged(Kernel, Launch, before("V_MFMA", "again"));
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  expectUnchanged(Kernel, Launch, before("V_MFMA", "wide"));
}

INSTANTIATE_TEST_SUITE_P(Targets, MatrixResults,
                         ::testing::ValuesIn(targetsWithMatrices()),
                         targetName);

class TranscendentalResults : public LateResults {
protected:
  /// The reciprocal is in v63, of 64 registers, all of which are in use; if it
  /// is not stored, it is dead.
  AssemblyKernel dividing(bool IsStored) {
    AssemblyKernel K;
    K.VGPRs = 64;
    raw_string_ostream OS(K.Body);
    OS << "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
          "v_and_b32_e32 v0, 0x3ff, v0\n"
          "v_cvt_f32_u32_e32 v1, v0\n"
          "wait_all\n";
    for (unsigned N = 2; N != 64; ++N)
      OS << "v_mov_b32_e32 v" << N << ", " << N << "\n";
    for (unsigned N = 2; N != 64; ++N)
      OS << "v_rcp_f32_e32 v" << N << ", v1\n";
    OS << "s_nop 0\n"
       << (StringRef(target().Processor) == "gfx1100"
               ? "s_waitcnt_depctr 0xfff\n"
               : "")
       << "v_lshlrev_b32_e32 v3, 2, v0\n"
       << "v_mov_b32_e32 v4, " << (IsStored ? "v63" : "7") << "\n"
       << "global_store_dword v3, v4, s[4:5]\n"
          "s_endpgm\n";
    return K;
  }
};

TEST_P(TranscendentalResults, AreWaitedForWhereHooksGetThem) {
  auto Kernel = fromAssembly(dividing(true));
  expectSeen(expectUnchanged(
      Kernel, Launch, behind("V_RCP", "seen", {MCRegister(AMDGPU::VGPR63)})));
}

TEST_P(TranscendentalResults, AreWaitedForWhereTheyAreBorrowed) {
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  for (bool IsStored : {false, true})
    expectUnchanged(fromAssembly(dividing(IsStored)), Launch,
                    behind("V_RCP", "wide"));
}

TEST_P(TranscendentalResults, ComeOfOperandsThatHooksHaveJustLeft) {
  expectUnchanged(fromAssembly(dividing(true)), Launch,
                  before("V_RCP", "again"));
}

INSTANTIATE_TEST_SUITE_P(Targets, TranscendentalResults,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
