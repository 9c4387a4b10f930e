// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On gfx12, a scalar register that vector instructions have read needs a wait
// between its next write and what reads that. The application's compiler has
// put none where only payloads read the register.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
define void @ids() #0 {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %xy = add i32 %x, %y
  %xyz = add i32 %xy, %z
  %wide = zext i32 %xyz to i64
  store volatile i64 %wide, ptr addrspace(1) @Counters
  ret void
}
define void @scalars() #0 {
  %x = load <8 x i32>, ptr addrspace(1) @Counters
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 512
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %low = icmp ult i32 %lo, 20
  %one = select i1 %low, i32 %lo, i32 7
  %v = insertelement <8 x i32> %x, i32 %one, i32 3
  store volatile <8 x i32> %v, ptr addrspace(1) %at
  ret void
})";

/// Writes each register by the scalar unit, then reads it by the other; then
/// once more, with the wait that this needs.
AssemblyKernel kernel(unsigned SGPRs, const EngineTarget &T) {
  const StringRef P = T.Processor;
  const std::string Wait =
      P.starts_with("gfx12")   ? "s_wait_alu depctr_sa_sdst(0)\n"
      : P.starts_with("gfx11") ? "s_waitcnt_depctr 0xfffe\n"
                               : "s_nop 4\n";
  const std::string Vcc = T.WaveSize == 32 ? "vcc_lo" : "vcc";
  const std::string Select = "v_cndmask_b32_e32 v2, v2, v1, " + Vcc + "\n";
  const std::string SetVcc =
      (T.WaveSize == 32 ? "s_mov_b32 " : "s_mov_b64 ") + Vcc + ", 5\n";
  AssemblyKernel K;
  K.SGPRs = SGPRs;
  K.VGPRs = 24;
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
           "v_and_b32_e32 v0, 0x3ff, v0\n"
           "v_lshlrev_b32_e32 v1, 2, v0\n"
           "v_mov_b32_e32 v2, 0\n";
  for (unsigned N = 6; N != SGPRs; ++N)
    K.Body += "s_mov_b32 s" + std::to_string(N) + ", " +
              std::to_string(N * 77) + "\n";
  for (unsigned N = 6; N != SGPRs; ++N)
    K.Body += "v_xor_b32_e32 v2, s" + std::to_string(N) + ", v2\n";
  K.Body += "s_nop 4\n" + SetVcc + Wait + Select + SetVcc + Wait + Select;
  for (unsigned N = 6; N != SGPRs; ++N) {
    K.Body += "s_mov_b32 s" + std::to_string(N) + ", " +
              std::to_string(N * 55) + "\n" + Wait;
    K.Body += "vadd v2, s" + std::to_string(N) + ", v2\n";
  }
  K.Body += "wait_all\n"
            "global_store_dword v1, v2, s[4:5]\n"
            "s_endpgm\n";
  return K;
}

class ScalarReads : public EngineTest {
protected:
  ScalarReads() {
    setHooks(HookText);
    Launch = {{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64);
  }
  KernelLaunch Launch;
};

TEST_P(ScalarReads, OfLaunchStateAreForgotten) {
  expectUnchanged(fromAssembly(kernel(24, target())), Launch,
                  everywhere("ids"));
}

TEST_P(ScalarReads, OfBorrowedRegistersAreForgotten) {
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  expectUnchanged(fromAssembly(kernel(target().isRdna() ? 106 : 102, target())),
                  Launch, everywhere("scalars"));
}

TEST_P(ScalarReads, WaitForTheApplicationsWrites) {
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  unsigned Points = 0;
  expectUnchanged(fromAssembly(kernel(target().isRdna() ? 106 : 102, target())),
                  Launch,
                  [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
                    for (MachineBasicBlock &MBB : LR.kernel())
                      for (MachineInstr &MI : MBB)
                        if (MI.getOpcode() == AMDGPU::S_WAITCNT_DEPCTR ||
                            MI.getOpcode() == AMDGPU::S_NOP) {
                          Task.insertHookBefore(MI, hook("scalars"));
                          ++Points;
                        }
                  });
  EXPECT_GT(Points, 90u);
}

INSTANTIATE_TEST_SUITE_P(Targets, ScalarReads,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
} // namespace luthier::test
