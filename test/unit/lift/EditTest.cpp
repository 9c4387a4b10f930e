// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools may do to the machine IR with LLVM's own calls: the result runs.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
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

INSTANTIATE_TEST_SUITE_P(Targets, Edits, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
