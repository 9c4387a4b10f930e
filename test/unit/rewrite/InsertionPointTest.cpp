// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every request comes down to points where code may stand, or is refused.
#include "CodeBuilder.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/InsertionPointResolver.h"
#include "codeobject/CodeObject.h"
#include "lift/Lifter.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier::test {
namespace {

class InsertionPointTest : public ::testing::Test {
protected:
  void lift(const std::string &Body, EngineTarget T = {},
            const std::string &Functions = "") {
    AssemblyKernel K;
    K.Body = Body;
    K.Functions = Functions;
    Expected<Bytes> Built = assembleKernel(T, K);
    ASSERT_TRUE(bool(Built)) << toString(Built.takeError());
    auto Object = CodeObject::create(*Built);
    ASSERT_TRUE(bool(Object)) << toString(Object.takeError());
    std::shared_ptr<const CodeObject> Shared = std::move(*Object);
    auto Lifted = liftKernel(Shared, Shared->kernels().front());
    ASSERT_TRUE(bool(Lifted)) << toString(Lifted.takeError());
    LR = std::move(*Lifted);
    Resolver.emplace(*LR);
  }

  MachineBasicBlock &block(unsigned Number) {
    return *std::next(LR->kernel().begin(), Number);
  }
  /// The \p Count-th instruction of the kernel whose opcode's name begins so.
  MachineInstr &find(StringRef Name, unsigned Count = 0) {
    const TargetInstrInfo &TII = *LR->kernel().getSubtarget().getInstrInfo();
    for (MachineBasicBlock &MBB : LR->kernel())
      for (MachineInstr &MI : MBB)
        if (TII.getName(MI.getOpcode()).starts_with(Name) && Count-- == 0)
          return MI;
    ADD_FAILURE() << "no " << Name.str();
    return LR->kernel().front().front();
  }

  /// What was inserted last, in words: "S_NOP" for before that instruction,
  /// "0->2" for an edge, "entry", or the refusal's reason.
  std::string places() {
    Expected<SmallVector<ResolvedInsertion, 1>> Found =
        Resolver->resolve(luthier::detail::contentsOf(Task).Insertions.back());
    if (!Found) {
      std::string Reason;
      handleAllErrors(Found.takeError(), [&](const Refusal &R) {
        Reason = toString(R.reason()).str();
      });
      return Reason;
    }
    std::string Text;
    const TargetInstrInfo &TII = *LR->kernel().getSubtarget().getInstrInfo();
    for (const ResolvedInsertion &P : *Found) {
      Text += Text.empty() ? "" : " ";
      if (const MachineInstr *MI = P.Where.instruction())
        Text += TII.getName(MI->getOpcode()).str();
      else if (P.Where.source())
        Text += std::to_string(P.Where.source()->getNumber()) + "->" +
                std::to_string(P.Where.block()->getNumber());
      else
        Text += "entry";
    }
    return Text;
  }
  std::string before(const MachineInstr &MI) {
    Task.insertHookBefore(MI, this);
    return places();
  }
  std::string after(const MachineInstr &MI) {
    Task.insertHookAfter(MI, this);
    return places();
  }
  std::string begin(unsigned Block) {
    Task.insertHookAtBlockBegin(block(Block), this);
    return places();
  }
  std::string end(unsigned Block) {
    Task.insertHookAtBlockEnd(block(Block), this);
    return places();
  }
  std::string edge(unsigned From, unsigned To) {
    Task.insertHookOnEdge(block(From), block(To), this);
    return places();
  }
  std::string endpgm() {
    Task.insertHookAtEndpgm(this);
    return places();
  }
  std::string waveEnd() {
    Task.insertHookAtWaveEnd(this);
    return places();
  }

  std::unique_ptr<LiftedRepresentation> LR;
  std::optional<InsertionPointResolver> Resolver;
  InstrumentationTask Task;
};

constexpr EngineTarget Gfx1030{"gfx1030", 32};
constexpr EngineTarget Gfx1100{"gfx1100", 32};
constexpr EngineTarget Gfx1201{"gfx1201", 32};

/// 0: falls into 1; 1: loops or goes on to 2; 2: to 3 or 4; 3: ends; 4: ends.
constexpr const char *Loop = R"(
    s_mov_b32 s4, 5
  loop:
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 loop
    v_mov_b32_e32 v1, v0
    s_cbranch_vccz other
    s_endpgm
  other:
    s_sleep 1
    s_endpgm
)";

TEST_F(InsertionPointTest, BlocksAndEdges) {
  lift(Loop);
  EXPECT_EQ(begin(1), "S_SUB_U32");
  EXPECT_EQ(end(0), "0->1") << "falls through";
  EXPECT_EQ(end(1), "S_CBRANCH_SCC1");
  EXPECT_EQ(edge(1, 1), "1->1");
  EXPECT_EQ(edge(1, 2), "1->2");
  EXPECT_EQ(edge(0, 2), "no-insertion-point") << "not a successor";
  EXPECT_EQ(after(find("S_MOV_B32")), "0->1");
  EXPECT_EQ(after(find("S_SUB_U32")), "S_CMP_LG_U32");
  EXPECT_EQ(after(find("S_CBRANCH_SCC1")), "1->1 1->2");
  EXPECT_EQ(after(find("S_ENDPGM")), "no-insertion-point");
}

TEST_F(InsertionPointTest, EntriesAndExits) {
  // The loop goes back to the kernel's first instruction.
  lift(R"(
  start:
    s_sub_u32 s4, s4, 1
    s_cbranch_scc1 start
    s_cbranch_vccz other
    s_endpgm
  other:
    s_endpgm
)");
  Task.insertHookAtKernelEntry(this);
  EXPECT_EQ(places(), "entry");
  Task.insertHookAtFunctionEntry(LR->kernel(), this);
  EXPECT_EQ(places(), "entry");
  EXPECT_EQ(begin(0), "S_SUB_U32");
  Task.insertHookAtFunctionExits(LR->kernel(), this);
  EXPECT_EQ(places(), "S_ENDPGM S_ENDPGM");
  EXPECT_EQ(endpgm(), "S_ENDPGM S_ENDPGM");
  EXPECT_EQ(waveEnd(), "S_ENDPGM S_ENDPGM");
}

TEST_F(InsertionPointTest, FunctionsAreLeftByReturns) {
  lift(R"(
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, callee@rel32@lo+4
    s_addc_u32 s5, s5, callee@rel32@hi+12
    s_swappc_b64 s[30:31], s[4:5]
    s_sleep 2
    s_endpgm
)",
       {}, R"(
  .type callee,@function
callee:
    s_cbranch_scc1 ends
    v_mov_b32_e32 v1, v0
    s_setpc_b64 s[30:31]
  ends:
    s_endpgm
  .size callee, . - callee
)");
  ASSERT_TRUE(LR);
  ASSERT_EQ(LR->functions().size(), 2u);
  EXPECT_EQ(after(find("S_SWAPPC")), "S_SLEEP");
  Task.insertHookAtFunctionExits(*LR->functions()[1].second, this);
  EXPECT_EQ(places(), "S_SETPC_B64 S_ENDPGM");
  EXPECT_EQ(endpgm(), "S_ENDPGM S_ENDPGM");
  EXPECT_EQ(waveEnd(), "S_ENDPGM S_ENDPGM");
  const MachineInstr *Return = nullptr;
  for (const MachineBasicBlock &MBB : *LR->functions()[1].second)
    for (const MachineInstr &MI : MBB)
      if (MI.getOpcode() == AMDGPU::S_SETPC_B64)
        Return = &MI;
  ASSERT_TRUE(Return);
  EXPECT_EQ(after(*Return), "no-insertion-point");
}

/// 0: jumps to 2, past 1, by way of a register; 2: goes back, or on to 3.
constexpr const char *FarJump = R"(
  back:
    s_sleep 1
    s_getpc_b64 s[4:5]
  .Lpc:
    s_add_u32 s4, s4, ahead-.Lpc
    s_addc_u32 s5, s5, 0
    s_setpc_b64 s[4:5]
    s_nop 7
  ahead:
    s_cbranch_scc0 back
    s_endpgm
)";

TEST_F(InsertionPointTest, FarJumpsAreBranchesOfTheirFunction) {
  for (EngineTarget T : {EngineTarget(), Gfx1030, Gfx1201}) {
    lift(FarJump, T);
    EXPECT_EQ(edge(0, 2), "0->2");
    EXPECT_EQ(edge(0, 1), "no-insertion-point") << "not a successor";
    EXPECT_EQ(after(find("S_SETPC")), "0->2");
    EXPECT_EQ(before(find("S_SETPC")), "S_SETPC_B64");
    EXPECT_EQ(end(0), "S_SETPC_B64");
    EXPECT_EQ(begin(2), "S_CBRANCH_SCC0");
    EXPECT_EQ(after(find("S_CBRANCH")), "2->0 2->3");
    Task.insertHookAtFunctionExits(LR->kernel(), this);
    EXPECT_EQ(places(), "S_ENDPGM");
    EXPECT_EQ(endpgm(), "S_ENDPGM");
    EXPECT_EQ(waveEnd(), "S_ENDPGM");
  }
}

TEST_F(InsertionPointTest, FarJumpsThatAToolHasChangedMayLeadAnywhere) {
  lift(FarJump);
  find("S_SETPC").getOperand(0).setReg(AMDGPU::SGPR6_SGPR7);
  EXPECT_EQ(edge(0, 2), "no-insertion-point");
  EXPECT_EQ(after(find("S_SETPC")), "no-insertion-point");
  Task.insertHookAtFunctionExits(LR->kernel(), this);
  EXPECT_EQ(places(), "S_SETPC_B64 S_ENDPGM");
}

/// On one way to it, nobody knows where it leads.
TEST_F(InsertionPointTest, JumpsToUnknownPlacesLeaveTheFunction) {
  lift(R"(
    s_cbranch_scc1 jump
    s_getpc_b64 s[4:5]
  .Lpc:
    s_add_u32 s4, s4, ahead-.Lpc
    s_addc_u32 s5, s5, 0
  jump:
    s_setpc_b64 s[4:5]
  ahead:
    s_endpgm
)");
  EXPECT_EQ(after(find("S_SETPC")), "no-insertion-point");
  Task.insertHookAtFunctionExits(LR->kernel(), this);
  EXPECT_EQ(places(), "S_SETPC_B64 S_ENDPGM");
  // As far as it is known where it may lead, that is no place, either.
  for (MachineBasicBlock *To : find("S_SETPC").getParent()->successors()) {
    Task.insertHookOnEdge(*find("S_SETPC").getParent(), *To, this);
    EXPECT_EQ(places(), "no-insertion-point");
  }
}

TEST_F(InsertionPointTest, PairsStayTogether) {
  lift(R"(
    s_sleep 1
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 8
    s_addc_u32 s5, s5, 0
    s_sleep 2
    s_endpgm
)");
  EXPECT_EQ(before(find("S_GETPC")), "S_GETPC_B64");
  EXPECT_EQ(before(find("S_ADD_U32")), "S_GETPC_B64");
  EXPECT_EQ(before(find("S_ADDC_U32")), "S_GETPC_B64");
  EXPECT_EQ(after(find("S_GETPC")), "S_SLEEP");
  EXPECT_EQ(after(find("S_ADD_U32")), "S_SLEEP");
}

TEST_F(InsertionPointTest, NothingStandsInIndexMode) {
  lift(R"(
    s_mov_b32 s4, 1
    s_set_gpr_idx_on s4, gpr_idx(SRC0)
    v_mov_b32_e32 v2, v1
    s_mov_b64 exec, s[6:7]
    v_mov_b32_e32 v3, v1
    s_set_gpr_idx_off
    s_sleep 1
    s_set_gpr_idx_on s4, gpr_idx(SRC0)
    s_cbranch_scc1 next
    s_nop 0
  next:
    v_mov_b32_e32 v4, v1
    s_set_gpr_idx_off
    s_endpgm
)");
  EXPECT_EQ(before(find("V_MOV_B32")), "S_SET_GPR_IDX_ON");
  EXPECT_EQ(before(find("S_MOV_B64")), "S_SET_GPR_IDX_ON");
  EXPECT_EQ(before(find("V_MOV_B32", 1)), "no-insertion-point")
      << "EXEC is another one";
  EXPECT_EQ(after(find("S_MOV_B64")), "S_SLEEP");
  EXPECT_EQ(after(find("V_MOV_B32")), "no-insertion-point");
  EXPECT_EQ(after(find("S_SET_GPR_IDX_OFF")), "S_SLEEP");
  EXPECT_EQ(end(0), "S_SET_GPR_IDX_ON");
  EXPECT_EQ(edge(0, 1), "no-insertion-point");
  EXPECT_EQ(begin(1), "no-insertion-point");
  EXPECT_EQ(begin(2), "no-insertion-point");
  EXPECT_EQ(after(find("S_SET_GPR_IDX_OFF", 1)), "S_ENDPGM");
}

TEST_F(InsertionPointTest, NothingStandsWhereVectorInstructionsAreSkipped) {
  lift(R"(
    s_setvskip s4, 0
    v_mov_b32_e32 v2, v1
    s_setvskip 0, 0
    s_sleep 1
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1
    v_mov_b32_e32 v3, v1
    s_endpgm
)");
  EXPECT_EQ(before(find("V_MOV_B32")), "S_SETVSKIP");
  EXPECT_EQ(after(find("V_MOV_B32")), "S_SLEEP");
  EXPECT_EQ(before(find("V_MOV_B32", 1)), "S_SETREG_IMM32_B32");
}

TEST_F(InsertionPointTest, ClausesStayTogether) {
  for (EngineTarget T : {Gfx1030, Gfx1100, Gfx1201}) {
    lift(R"(
    s_sleep 1
    s_clause 0x1
    global_load_dword v1, v0, s[4:5]
    global_load_dword v2, v0, s[4:5] offset:4
    v_mov_b32_e32 v3, v0
    s_endpgm
)",
         T);
    EXPECT_EQ(before(find("S_CLAUSE")), "S_CLAUSE");
    EXPECT_EQ(before(find("GLOBAL_LOAD_DWORD")), "S_CLAUSE");
    EXPECT_EQ(before(find("GLOBAL_LOAD_DWORD", 1)), "S_CLAUSE");
    EXPECT_EQ(before(find("V_MOV_B32")), "V_MOV_B32_e32");
    EXPECT_EQ(after(find("S_SLEEP")), "S_CLAUSE");
    EXPECT_EQ(after(find("GLOBAL_LOAD_DWORD")), "V_MOV_B32_e32");
    EXPECT_EQ(after(find("GLOBAL_LOAD_DWORD", 1)), "V_MOV_B32_e32");
  }
}

TEST_F(InsertionPointTest, DelaysKeepWhatTheySpeakOf) {
  lift(R"(
    s_sleep 1
    s_delay_alu instid0(VALU_DEP_1)
    v_mov_b32_e32 v1, v0
    s_endpgm
)",
       Gfx1100);
  EXPECT_EQ(before(find("V_MOV_B32")), "S_DELAY_ALU");
  EXPECT_EQ(after(find("S_DELAY_ALU")), "S_ENDPGM");
}

TEST_F(InsertionPointTest, TheWaveEndsBeforeItsRegistersAreGone) {
  for (EngineTarget T : {Gfx1100, Gfx1201}) {
    lift(R"(
    s_cbranch_scc1 kept
    s_sleep 1
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    s_endpgm
  kept:
    s_endpgm
)",
         T);
    EXPECT_EQ(waveEnd(), "S_SENDMSG S_ENDPGM");
    EXPECT_EQ(endpgm(), "S_SENDMSG S_ENDPGM");
    EXPECT_EQ(before(find("S_ENDPGM")), "S_SENDMSG");
    EXPECT_EQ(after(find("S_SENDMSG")), "no-insertion-point");
    EXPECT_EQ(after(find("S_SLEEP")), "S_SENDMSG");
  }
}

TEST_F(InsertionPointTest, TheWaveEndsOnceAlsoAcrossBlocks) {
  lift(R"(
    s_cbranch_scc1 second
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    s_branch done
  second:
    s_sleep 1
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
  done:
    s_endpgm
)",
       Gfx1100);
  EXPECT_EQ(waveEnd(), "S_SENDMSG S_SENDMSG");
  EXPECT_EQ(endpgm(), "no-insertion-point");
  // Now some waves still have registers at the end.
  lift(R"(
    s_cbranch_scc1 done
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
  done:
    s_endpgm
)",
       Gfx1100);
  EXPECT_EQ(waveEnd(), "no-insertion-point");
}

TEST_F(InsertionPointTest, OtherMessagesDeallocateNothing) {
  // Number 3 is another message before gfx11.
  lift("s_sendmsg sendmsg(3)\ns_endpgm\n", Gfx1030);
  EXPECT_EQ(waveEnd(), "S_ENDPGM");
}

} // namespace
} // namespace luthier::test
