// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this engine cannot do is refused with its own reason.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Refusals : public EngineTest {
protected:
  Refusals() { Launch.Arguments.words(64); }
  Object assemble(const std::string &Body, unsigned VGPRs = 16) {
    AssemblyKernel K;
    K.Body = Body;
    K.VGPRs = VGPRs;
    K.SGPRs = 24;
    return fromAssembly(K);
  }
  void refuseHook(const std::string &IR, RefusalReason Reason,
                  std::vector<HookArgument> Arguments = {}) {
    setHooks(IR);
    expectRefused(assemble("s_nop 0\ns_endpgm\n"), Launch,
                  everywhere("h", std::move(Arguments)), Reason);
  }
  void refuseKernel(const std::string &Assembly, RefusalReason Reason) {
    setHooks("define void @h() #0 { ret void }");
    // Some of these kernels would never end.
    Options.RunAlone = false;
    expectRefused(assemble(Assembly), Launch, everywhere("h"), Reason);
  }
  InstrumentedKernel accept(const std::string &IR) {
    setHooks(IR);
    return expectUnchanged(assemble("v_mov_b32 v1, v0\ns_endpgm\n"), Launch,
                           everywhere("h"))
        .Instrumented;
  }

  KernelLaunch Launch;
};

/// Where there is the mode, with accumulation registers.
class RefusalsOfMi200 : public Refusals {};
INSTANTIATE_TEST_SUITE_P(
    Targets, RefusalsOfMi200,
    ::testing::ValuesIn(targetsOf({"gfx90a", "gfx942", "gfx950"})), targetName);
class RefusalsOfGfx9 : public Refusals {};
INSTANTIATE_TEST_SUITE_P(Targets, RefusalsOfGfx9,
                         ::testing::ValuesIn(gfx9Targets()), targetName);

TEST_P(RefusalsOfGfx9, KernelsThatBranchOutOfThemselves) {
  refuseKernel(".long 0xbf820400 ; s_branch\ns_endpgm",
               RefusalReason::UndecodableInstruction);
}

TEST_P(Refusals, InstructionsThatDoNotDecode) {
  for (const char *Data : {".long 0xffffffff", ".long 0xffffffff, 0xffffffff",
                           ".long 0xffffffff, 0xfffffffe"})
    refuseKernel(Data + std::string("\ns_endpgm"),
                 RefusalReason::UndecodableInstruction);
}

TEST_P(Refusals, EditsWithOperationsNothingIsKnownOf) {
  setHooks("define void @h() #0 { ret void }");
  Options.RunAlone = false;
  auto Insert = everywhere("h");
  expectRefused(
      assemble("s_nop 0\ns_endpgm\n"), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        MachineBasicBlock &MBB = LR.kernel().front();
        // Of a later processor.
        BuildMI(MBB, MBB.begin(), DebugLoc(),
                LR.kernel().getSubtarget().getInstrInfo()->get(
                    AMDGPU::S_SET_VGPR_MSB_gfx12))
            .addImm(0);
        Insert(LR, Task);
      },
      RefusalReason::UnsupportedEdit);
}

TEST_P(RefusalsOfMi200, AreNotForHooksThatSpillToKeepWorkgroupsLaunchable) {
  // 1,024 work-items leave 128 registers of both kinds to each lane; the kernel
  // has 116 + 8. In the few that are left the hook would have to spill.
  setHooks(R"(
define void @h() #0 {
  %x = load <8 x i32>, ptr addrspace(1) @Counters
  store volatile <8 x i32> %x, ptr addrspace(1) @Counters
  ret void
})");
  AssemblyKernel K;
  K.Body = "v_mov_b32 v115, 0\nv_accvgpr_write_b32 a7, v115\ns_endpgm\n";
  K.VGPRs = 116;
  K.AGPRs = 8;
  const Judgement J = expectUnchanged(fromAssembly(K), Launch, everywhere("h"));
  EXPECT_LE(J.Instrumented.Report.VGPRsAfter, 128u);
}

TEST_P(RefusalsOfGfx9, PointsInsideIndexModeThatBeginsElsewhere) {
  refuseKernel("s_set_gpr_idx_on s4, gpr_idx(SRC0)\ns_cbranch_scc1 l\n"
               "v_mov_b32 v0, v1\nl:\nv_mov_b32 v0, v1\n"
               "s_set_gpr_idx_off\ns_endpgm",
               RefusalReason::NoInsertionPoint);
}

TEST_P(Refusals, KernelsThatRunOnIntoWhatFollows) {
  refuseKernel("s_nop 0", RefusalReason::UndecodableInstruction);
}

TEST_P(Refusals, RegistersTheKernelDoesNotUse) {
  // They would be Luthier's own.
  refuseHook("declare void @\"luthier::writeReg.i32.i32\"(i32, i32) #3\n"
             "define void @h() #0 {\n"
             "call void @\"luthier::writeReg.i32.i32\"(i32 " +
                 std::to_string(AMDGPU::SGPR30) + ", i32 1)\nret void }",
             RefusalReason::UnsupportedHook);
  refuseHook("define void @h(i32 %x) #0 { ret void }",
             RefusalReason::HookArguments, {MCRegister(AMDGPU::VGPR20)});
}

TEST_P(Refusals, PartsThatAreNotInTheKernel) {
  setHooks("define void @h() #0 { ret void }");
  for (bool IsErased : {false, true})
    expectRefused(
        assemble("s_nop 0\ns_endpgm\n"), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          MachineInstr &MI = LR.kernel().front().front();
          if (IsErased) {
            Task.insertHookBefore(MI, hook("h"));
            return MI.eraseFromParent();
          }
          Task.insertHookAfter(*LR.kernel().CloneMachineInstr(&MI), hook("h"));
        },
        RefusalReason::NoInsertionPoint,
        "hook 'h': there is no such instruction in the kernel");
}

TEST_P(Refusals, UnknownHooks) {
  refuseHook("define void @other() #0 { ret void }",
             RefusalReason::UnknownHook);
}

TEST_P(Refusals, WrongNumberOfArguments) {
  refuseHook("define void @h(i32 %x) #0 { ret void }",
             RefusalReason::HookArguments);
}

TEST_P(Refusals, RegistersThatCannotBePassed) {
  refuseHook("define void @h(i32 %x) #0 { ret void }",
             RefusalReason::HookArguments, {MCRegister(AMDGPU::LDS_DIRECT)});
}

TEST_P(Refusals, AreNotForHooksWithLaunchStateStackOrSharedMemory) {
  accept("declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "define void @h() #0 {\n"
         "%x = call i32 @llvm.amdgcn.workitem.id.x()\n"
         "store i32 %x, ptr addrspace(1) @Counters\nret void }");
  InstrumentedKernel Stack = accept(R"(
define void @h() #0 {
  %n = load i32, ptr addrspace(1) @Counters
  %a = alloca [64 x i32], addrspace(5)
  %p = getelementptr i32, ptr addrspace(5) %a, i32 %n
  store volatile i32 %n, ptr addrspace(5) %p
  ret void
})");
  EXPECT_GE(Stack.PrivateSegmentSize, 256u);
  InstrumentedKernel Shared =
      accept("@l = external addrspace(3) global i32\n"
             "define void @h() #0 { store i32 1, ptr addrspace(3) @l\n"
             "ret void }");
  EXPECT_GE(Shared.ExtraGroupSegment, 4u);
}

TEST_P(Refusals, HooksThatWriteExecInALoopLanesLeaveAtDifferentTimes) {
  refuseHook(R"(
define void @h() #0 {
entry:
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  br label %head
head:
  %i = phi i32 [ %lane, %entry ], [ %next, %rest ]
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) #1 to label %rest []
rest:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  %next = add i32 %i, -1
  %more = icmp sgt i32 %next, 0
  br i1 %more, label %head, label %exit
exit:
  ret void
})",
             RefusalReason::UnsupportedHook);
}

TEST_P(Refusals, HooksThatNameUndefinedVariables) {
  refuseHook("@u = external addrspace(1) global i32\n"
             "define void @h() #0 { store i32 1, ptr addrspace(1) @u\n"
             "ret void }",
             RefusalReason::UnsupportedHook);
}

TEST_P(Refusals, DamagedBitcode) {
  Hooks.Bitcode = {1, 2, 3, 4};
  expectRefused(assemble("s_endpgm\n"), Launch, everywhere("h"),
                RefusalReason::ToolWithoutBitcode);
}

INSTANTIATE_TEST_SUITE_P(Targets, Refusals, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
