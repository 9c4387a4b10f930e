// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools may do to the machine IR with LLVM's own calls: the result runs.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Instructions.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Edits : public EngineTest {
protected:
  Edits() {
    setHooks("define void @none() #0 { ret void }");
    // The original alone, the edited version alone.
    Options.Seeds = {};
  }

  /// Three times (v1 + 2 * v1), and a loop.
  Object kernel() {
    AssemblyKernel K;
    K.Body = R"(
      workgroup_id_x s10
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_and_b32_e32 v0, 0x3ff, v0
      s_lshl_b32 s10, s10, 6
      vadd v1, s10, v0
      v_mov_b32_e32 v5, 7
      v_mov_b32_e32 v2, 0
      s_mov_b32 s6, 3
    loop:
      vadd v2, v2, v1
      v_lshlrev_b32_e32 v3, 1, v1
      vadd v2, v2, v3
      s_sub_u32 s6, s6, 1
      s_cmp_lg_u32 s6, 0
      s_cbranch_scc1 loop
      v_lshlrev_b32_e32 v1, 2, v1
      wait_all
      global_store_dword v1, v2, s[4:5]
      s_endpgm
)";
    return fromAssembly(K);
  }

  /// Bytes that \p Edit adds to the code; the results stay the same.
  int64_t grows(const std::function<void(LiftedRepresentation &)> &Edit) {
    KernelLaunch Launch{{100, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(128);
    auto bytes = [&](const std::function<void(LiftedRepresentation &)> &Edit) {
      Judgement J = expectUnchanged(
          kernel(), Launch,
          [&](LiftedRepresentation &LR, InstrumentationTask &) { Edit(LR); });
      EXPECT_EQ(J.Buffers[0][99], 99u * 9);
      return int64_t(J.Instrumented.Report.BytesAfter);
    };
    return bytes(Edit) - bytes([](LiftedRepresentation &) {});
  }

  static MachineInstr &find(LiftedRepresentation &LR, unsigned Opcode,
                            std::optional<int64_t> Immediate = {}) {
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB)
        if (MI.getOpcode() == Opcode &&
            (!Immediate || any_of(MI.operands(), [&](MachineOperand &MO) {
              return MO.isImm() && MO.getImm() == *Immediate;
            })))
          return MI;
    ADD_FAILURE() << "no such instruction";
    return LR.kernel().front().front();
  }
  static const TargetInstrInfo &infoOf(LiftedRepresentation &LR) {
    return *LR.kernel().getSubtarget().getInstrInfo();
  }
};

TEST_P(Edits, AnInstructionIsRemoved) {
  EXPECT_EQ(grows([](LiftedRepresentation &LR) {
              find(LR, AMDGPU::V_MOV_B32_e32, 7).eraseFromParent();
            }),
            -4);
}

TEST_P(Edits, ANewInstructionIsNotTakenForARemovedOne) {
  EXPECT_EQ(grows([](LiftedRepresentation &LR) {
              MachineInstr &Old = find(LR, AMDGPU::V_MOV_B32_e32, 7);
              MachineBasicBlock &MBB = *Old.getParent();
              MachineBasicBlock::iterator At = std::next(Old.getIterator());
              Old.eraseFromParent();
              // Whatever memory these get.
              for (unsigned I = 0; I < 100; ++I) {
                MachineInstr *New =
                    BuildMI(MBB, At, DebugLoc(), infoOf(LR).get(AMDGPU::S_NOP))
                        .addImm(0);
                EXPECT_FALSE(LR.originalAddress(*New));
              }
            }),
            99 * 4);
}

TEST_P(Edits, AnOpcodeIsReplaced) {
  EXPECT_EQ(grows([](LiftedRepresentation &LR) {
              MachineInstr &Shift = find(LR, AMDGPU::V_LSHLREV_B32_e32, 1);
              Shift.setDesc(infoOf(LR).get(AMDGPU::V_ADD_U32_e32));
              Shift.getOperand(1).ChangeToRegister(AMDGPU::VGPR1, false);
            }),
            0);
}

TEST_P(Edits, AnOperandIsChangedAndAnInstructionInserted) {
  EXPECT_EQ(grows([](LiftedRepresentation &LR) {
              MachineInstr &Zero = find(LR, AMDGPU::V_MOV_B32_e32, 0);
              Zero.getOperand(1).setImm(1000);
              BuildMI(*Zero.getParent(), std::next(Zero.getIterator()),
                      DebugLoc(), infoOf(LR).get(AMDGPU::V_ADD_U32_e32),
                      AMDGPU::VGPR2)
                  .addImm(-1000)
                  .addReg(AMDGPU::VGPR2);
            }),
            4 + 8);
}

TEST_P(Edits, BlocksAndBranchesAreAdded) {
  // The way back leads over a new block at the end.
  EXPECT_EQ(grows([](LiftedRepresentation &LR) {
              MachineFunction &MF = LR.kernel();
              const TargetInstrInfo &TII = infoOf(LR);
              MachineInstr &Back = find(LR, AMDGPU::S_CBRANCH_SCC1);
              MachineBasicBlock *Loop = Back.getOperand(0).getMBB();
              MachineBasicBlock *New = MF.CreateMachineBasicBlock();
              MF.push_back(New);
              BuildMI(New, DebugLoc(), TII.get(AMDGPU::S_MOV_B32),
                      AMDGPU::SGPR12)
                  .addImm(1);
              BuildMI(New, DebugLoc(), TII.get(AMDGPU::S_BRANCH)).addMBB(Loop);
              Back.getOperand(0).setMBB(New);
              Back.getParent()->replaceSuccessor(Loop, New);
              New->addSuccessor(Loop);
            }),
            8);
}

TEST_P(Edits, BlocksMayGrowOutOfTheReachOfBranches) {
  constexpr unsigned Count = 100'000;
  EXPECT_GT(grows([](LiftedRepresentation &LR) {
              MachineInstr &Shift = find(LR, AMDGPU::V_LSHLREV_B32_e32, 1);
              for (unsigned I = 0; I < Count; ++I)
                BuildMI(*Shift.getParent(), Shift, DebugLoc(),
                        infoOf(LR).get(AMDGPU::S_NOP))
                    .addImm(0);
            }),
            int64_t(4 * Count));
}

TEST_P(Edits, AMovedGetpcIsRefused) {
  AssemblyKernel K;
  K.Body = "s_getpc_b64 s[4:5]\ns_nop 0\ns_endpgm\n";
  expectRefused(
      fromAssembly(K), {},
      [](LiftedRepresentation &LR, InstrumentationTask &) {
        MachineInstr &GetPC = find(LR, AMDGPU::S_GETPC_B64);
        MachineBasicBlock &MBB = *GetPC.getParent();
        GetPC.removeFromParent();
        MBB.insert(std::prev(MBB.end()), &GetPC);
      },
      RefusalReason::UnsupportedEdit);
}

/// What tools see that walk over everything, also while they change it.
TEST_P(Edits, AreMadeWhileAllInstructionsAreWalkedOver) {
  unsigned Walked = 0, There = 0;
  EXPECT_EQ(grows([&](LiftedRepresentation &LR) {
              MachineFunction &MF = LR.kernel();
              MF.push_back(MF.CreateMachineBasicBlock()); // Stays empty.
              Walked = There = 0;
              for (MachineBasicBlock &MBB : MF)
                There += MBB.size();
              for (MachineInstr &MI : make_early_inc_range(LR.instructions())) {
                ++Walked;
                if (MI.getOpcode() == AMDGPU::V_MOV_B32_e32 &&
                    MI.getOperand(1).isImm() && MI.getOperand(1).getImm() == 7)
                  MI.eraseFromParent();
                else if (isConditionalBranch(MI))
                  BuildMI(*MI.getParent(), MI, DebugLoc(),
                          infoOf(LR).get(AMDGPU::S_NOP))
                      .addImm(0);
              }
              MF.back().eraseFromParent();
              EXPECT_TRUE(isBranch(find(LR, AMDGPU::S_CBRANCH_SCC1)));
              EXPECT_FALSE(isCall(find(LR, AMDGPU::S_CBRANCH_SCC1)));
            }),
            -4 + 4);
  EXPECT_EQ(Walked, There);
  EXPECT_GT(Walked, 10u);
}

TEST_P(Edits, AnOpcodeOfAnotherGenerationIsRefused) {
  KernelLaunch Launch{{100, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(128);
  expectRefused(
      kernel(), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &) {
        MachineInstr &MI = find(LR, AMDGPU::S_ENDPGM);
        const bool IsGfx12 = GetParam().Processor == StringRef("gfx1201");
        BuildMI(*MI.getParent(), MI, DebugLoc(),
                infoOf(LR).get(IsGfx12 ? AMDGPU::S_WAITCNT_EXPCNT
                                       : AMDGPU::S_WAIT_LOADCNT))
            .addImm(0);
      },
      RefusalReason::UnsupportedEdit);
}

TEST_P(Edits, AnInstructionWithoutAllOfItsOperandsIsRefused) {
  KernelLaunch Launch{{100, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(128);
  expectRefused(
      kernel(), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &) {
        MachineInstr &MI = find(LR, AMDGPU::S_ENDPGM);
        BuildMI(*MI.getParent(), MI, DebugLoc(),
                infoOf(LR).get(AMDGPU::S_ADD_U32), AMDGPU::SGPR3)
            .addImm(1);
      },
      RefusalReason::UnsupportedEdit, "instead of 3");
}

TEST_P(Edits, ErasingEverythingIsRefused) {
  KernelLaunch Launch{{100, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(128);
  expectRefused(
      kernel(), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &) {
        for (MachineInstr &MI : make_early_inc_range(LR.instructions()))
          MI.eraseFromParent();
      },
      RefusalReason::UnsupportedEdit, "erased all of the kernel's");
}

/// Hooks see what the tool made of the code, also in functions.
TEST_P(Edits, GoTogetherWithHooks) {
  setHooks(R"(
define void @count() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})");
  Object Calls = fromIR(R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @leaf(i32 %x, i32 %y) noinline {
  %a = mul i32 %x, %y
  %b = xor i32 %a, %x
  ret i32 %b
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %a = call i32 @leaf(i32 %l, i32 7)
  %b = call i32 @leaf(i32 %a, i32 %l)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %b, ptr addrspace(1) %at
  ret void
})");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  const unsigned Waves = 64 / target().WaveSize;
  bool Found = false;
  Judgement J = expectUnchanged(
      Calls, Launch, [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (auto &[Symbol, MF] : LR.functions())
          for (MachineBasicBlock &MBB : *MF)
            for (MachineInstr &MI : make_early_inc_range(MBB)) {
              const StringRef Name = infoOf(LR).getName(MI.getOpcode());
              if (Symbol.IsKernel || !Name.starts_with("V_XOR_B32"))
                continue;
              // Its operands change places, by way of a new instruction that
              // takes the place of the old one, and two more stand around it.
              Found = true;
              MachineInstr *New =
                  BuildMI(MBB, MI, DebugLoc(), MI.getDesc())
                      .addReg(MI.getOperand(0).getReg(), RegState::Define)
                      .addReg(MI.getOperand(2).getReg())
                      .addReg(MI.getOperand(1).getReg());
              for (auto At : {New->getIterator(), MI.getIterator()})
                BuildMI(MBB, At, DebugLoc(), infoOf(LR).get(AMDGPU::S_NOP))
                    .addImm(0);
              MI.eraseFromParent();
            }
        everywhere("count")(LR, Task);
      });
  EXPECT_TRUE(Found);
  if (J.Problem.empty())
    EXPECT_EQ(J.counters()[0], J.WaveInstructions + 2 * 2 * Waves);
}

/// Registers beyond what the kernel allocates, which the edited one has to.
TEST_P(Edits, MayTakeMoreRegisters) {
  const bool HasAGPRs =
      !target().isRdna() && std::string(target().Processor) != "gfx906";
  for (RegisterPolicy Policy : {RegisterPolicy::Grow, RegisterPolicy::NoGrow}) {
    Options.Engine.Policy = Policy;
    setHooks("define void @none() #0 { ret void }");
    grows([&](LiftedRepresentation &LR) {
      // v2 goes through v60 and a5, s6 through s70.
      MachineInstr &MI = find(LR, AMDGPU::V_LSHLREV_B32_e32, 1);
      MachineBasicBlock &MBB = *MI.getParent();
      const TargetInstrInfo &TII = infoOf(LR);
      auto move = [&](unsigned Opcode, MCRegister To, MCRegister From) {
        BuildMI(MBB, MI, DebugLoc(), TII.get(Opcode), To).addReg(From);
      };
      if (HasAGPRs) {
        move(AMDGPU::V_ACCVGPR_WRITE_B32_e64, AMDGPU::AGPR5, AMDGPU::VGPR2);
        move(AMDGPU::V_MOV_B32_e32, AMDGPU::VGPR2, AMDGPU::VGPR0);
        BuildMI(MBB, MI, DebugLoc(), TII.get(AMDGPU::S_NOP)).addImm(4);
        move(AMDGPU::V_ACCVGPR_READ_B32_e64, AMDGPU::VGPR2, AMDGPU::AGPR5);
      }
      move(AMDGPU::V_MOV_B32_e32, AMDGPU::VGPR60, AMDGPU::VGPR2);
      move(AMDGPU::V_MOV_B32_e32, AMDGPU::VGPR2, AMDGPU::VGPR0);
      move(AMDGPU::V_MOV_B32_e32, AMDGPU::VGPR2, AMDGPU::VGPR60);
      move(AMDGPU::S_MOV_B32, AMDGPU::SGPR70, AMDGPU::SGPR6);
      move(AMDGPU::S_MOV_B32, AMDGPU::SGPR6, AMDGPU::SGPR10);
      move(AMDGPU::S_MOV_B32, AMDGPU::SGPR6, AMDGPU::SGPR70);
    });
  }
}

/// Data behind the kernel that decode as instructions name any register.
TEST_P(Edits, AreNotHeldAgainstCodeThatWasThere) {
  AssemblyKernel K;
  K.Body = "v_mov_b32_e32 v1, 0\ns_endpgm\nv_mov_b32_e32 v250, v251\n"
           "s_mov_b32 s100, s101\ns_endpgm\n";
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(1);
  setHooks("define void @none() #0 { ret void }");
  const Judgement J =
      expectUnchanged(fromAssembly(K), Launch, everywhere("none"));
  // Behind what the kernel allocates there may be some of the engine's own.
  EXPECT_LT(J.Instrumented.Report.VGPRsAfter, 64u);
  if (!target().isRdna())
    EXPECT_LT(J.Instrumented.Report.SGPRsAfter, 100u);
}

TEST_P(Edits, RegistersThatNoWorkgroupCanHaveAreRefused) {
  AssemblyKernel K;
  K.Body = "v_mov_b32_e32 v1, 0\ns_endpgm\n";
  K.MaxWorkgroup = 1024;
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(1);
  expectRefused(
      fromAssembly(K), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &) {
        MachineInstr &MI = find(LR, AMDGPU::V_MOV_B32_e32, 0);
        BuildMI(*MI.getParent(), MI, DebugLoc(),
                infoOf(LR).get(AMDGPU::V_MOV_B32_e32), AMDGPU::VGPR255)
            .addImm(0);
      },
      RefusalReason::RegisterBudget);
}

/// What was not there has no place in the original.
TEST_P(Edits, ANewInstructionHasNoAddress) {
  setHooks("define void @at(i64 %pc) #0 { ret void }");
  KernelLaunch Launch{{100, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(128);
  expectRefused(
      kernel(), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        MachineInstr &Zero = find(LR, AMDGPU::V_MOV_B32_e32, 0);
        MachineInstr *New = BuildMI(*Zero.getParent(), Zero, DebugLoc(),
                                    infoOf(LR).get(AMDGPU::S_NOP))
                                .addImm(0);
        Task.insertHookBefore(*New, hook("at"), {HookArgument::pc()});
      },
      RefusalReason::HookArguments);
}

INSTANTIATE_TEST_SUITE_P(Targets, Edits, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
