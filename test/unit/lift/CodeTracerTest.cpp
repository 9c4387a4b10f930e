// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What belongs to a function: code that control reaches, and nothing that only
// looks like it.
#include "../analysis/Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/Decoder.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class CodeTracing : public ::testing::TestWithParam<TargetCase> {
protected:
  void lift(const std::string &Assembly) {
    Kernel = liftAssembly(Assembly, GetParam());
    ASSERT_TRUE(Kernel.LR);
  }
  ControlTransfer transferAt(const char *Label) {
    for (const ControlTransfer &T : Kernel.LR->controlTransfers())
      if (T.Address == Kernel.Labels[Label])
        return T;
    ADD_FAILURE() << "no transfer at " << Label;
    return {};
  }
  /// Not lifted at all.
  bool isAbsent(const char *Label) {
    for (const auto &[Symbol, MF] : Kernel.LR->functions())
      for (const MachineBasicBlock &MBB : *MF)
        for (const MachineInstr &MI : MBB)
          if (Kernel.LR->originalAddress(MI) == Kernel.Labels[Label])
            return false;
    return true;
  }
  LiftedKernel Kernel;
};

TEST_P(CodeTracing, DataBehindTheCodeIsNoCode) {
  lift(R"(
    s_nop 0
    last: s_endpgm
    data: .long 0xffffffff
    .long 0xffffffff
  )");
  EXPECT_TRUE(isAbsent("data"));
  Kernel.at("last");
}

TEST_P(CodeTracing, DataThatLooksLikeABranchOutOfTheFunctionIsNoCode) {
  const bool IsOld = GetParam().isGfx9() || GetParam().Processor == "gfx1030";
  lift(R"(
    s_cbranch_scc1 last
    s_branch last
    data: .long )" +
       std::string(IsOld ? "0xbf827000" : "0xbfa07000") + R"(
    last: s_endpgm
  )");
  EXPECT_TRUE(isAbsent("data"));
  Kernel.at("last");
}

TEST_P(CodeTracing, CodeThatNothingLeadsToStays) {
  lift(R"(
    s_branch last
    unreached: s_nop 1
    s_setpc_b64 s[4:5]
    last: s_endpgm
  )");
  EXPECT_EQ(Kernel.at("unreached").getOpcode(), AMDGPU::S_NOP);
  // It does not run here.
  EXPECT_FALSE(Kernel.LR->hasUnresolvedTransfers());
}

TEST_P(CodeTracing, InstructionsMayOverlap) {
  // v_mov_b32 v3, 0x7e080300, whose literal is v_mov_b32 v4, v0.
  lift(R"(
    s_cbranch_scc1 inner
    outer: .long 0x7e0602ff
    inner: .long 0x7e080300
    both: s_nop 3
    s_endpgm
  )");
  EXPECT_EQ(Kernel.at("outer").getOperand(0).getReg(), AMDGPU::VGPR3);
  EXPECT_EQ(Kernel.at("inner").getOperand(0).getReg(), AMDGPU::VGPR4);
  const MachineBasicBlock *Both = Kernel.at("both").getParent();
  EXPECT_TRUE(Kernel.at("outer").getParent()->isSuccessor(Both));
  EXPECT_TRUE(Kernel.at("inner").getParent()->isSuccessor(Both));
}

TEST_P(CodeTracing, EncodingsThatComeAgainAreInstructionsOfTheirOwn) {
  // The same first dword, with other literals behind; the same branch, to
  // another place.
  lift(R"(
    first: v_mov_b32 v3, 0x12345
    second: v_mov_b32 v3, 0x54321
    again: v_mov_b32 v3, 0x12345
    s_cbranch_scc1 near
    s_nop 0
    near: s_cbranch_scc1 far
    s_nop 0
    far: s_endpgm
  )");
  auto literalAt = [&](const char *Label) {
    return Kernel.at(Label).getOperand(1).getImm();
  };
  EXPECT_EQ(literalAt("first"), 0x12345);
  EXPECT_EQ(literalAt("second"), 0x54321);
  EXPECT_EQ(literalAt("again"), 0x12345);
  EXPECT_EQ(Kernel.LR->originalAddress(Kernel.at("again")),
            Kernel.Labels["again"]);
  const MachineBasicBlock *Far = Kernel.at("far").getParent();
  EXPECT_TRUE(Kernel.at("near").getParent()->isSuccessor(Far));
  EXPECT_FALSE(Kernel.at("first").getParent()->isSuccessor(Far));
}

TEST_P(CodeTracing, AFunctionMayRunOnIntoTheNext) {
  lift(R"(
    s_call_b64 s[30:31], first
    s_call_b64 s[30:31], second
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first: s_nop 1
    .Lfirst: .size first, .Lfirst-first
    .type second,@function
    second: s_nop 2
    return: s_setpc_b64 s[30:31]
    .Lsecond: .size second, .Lsecond-second
  )");
  auto &Functions = Kernel.LR->functions();
  ASSERT_EQ(Functions.size(), 3u);
  EXPECT_EQ(Functions[1].first.Name, "first");
  EXPECT_EQ(Functions[1].second->front().size(), 3u);
  EXPECT_EQ(Functions[2].second->front().size(), 2u);
  for (const ControlTransfer &T : Kernel.LR->controlTransfers())
    EXPECT_EQ(T.Kind,
              T.MI->isCall() ? ControlTransfer::Call : ControlTransfer::Return);
}

TEST_P(CodeTracing, ASymbolMayClaimAnySize) {
  for (const char *Size : {"0x1000000000000", "-8"}) {
    lift(std::string(R"(
    s_call_b64 s[30:31], first
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first: s_nop 1
    s_setpc_b64 s[30:31]
    .size first, )") +
         Size + "\n");
    ASSERT_EQ(Kernel.LR->functions().size(), 2u);
    EXPECT_EQ(Kernel.LR->functions()[1].second->front().size(), 2u);
  }
}

/// A function that ends in \p Last, and what stands behind it.
std::string functionThatEndsIn(const std::string &Last) {
  return R"(
    s_call_b64 s[30:31], first
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first: s_nop 1
  )" + Last +
         R"(
    .Lfirst: .size first, .Lfirst-first
    s_nop 2
    s_endpgm
  )";
}

TEST_P(CodeTracing, AFunctionEndsInATrap) {
  lift(functionThatEndsIn("s_trap 2"));
  EXPECT_EQ(Kernel.LR->functions()[1].second->getInstructionCount(), 2u);
}

TEST_P(CodeTracing, ATrapForDebuggersEndsNothing) {
  lift(functionThatEndsIn("s_trap 3"));
  EXPECT_EQ(Kernel.LR->functions()[1].second->getInstructionCount(), 4u);
}

TEST_P(CodeTracing, FarJumpsStayInTheirFunction) {
  lift(R"(
    back: s_nop 0
    s_getpc_b64 s[4:5]
  .Lpc:
    s_add_u32 s4, s4, ahead-.Lpc
    s_addc_u32 s5, s5, 0
    jump: s_setpc_b64 s[4:5]
    s_nop 7
    ahead: s_cbranch_scc0 back
    s_endpgm
  )");
  ASSERT_EQ(transferAt("jump").Kind, ControlTransfer::Jump);
  const MachineBasicBlock *Ahead = Kernel.at("ahead").getParent();
  EXPECT_EQ(transferAt("jump").Target, Ahead);
  EXPECT_TRUE(Kernel.at("jump").getParent()->isSuccessor(Ahead));
  EXPECT_FALSE(Kernel.LR->hasUnresolvedTransfers());
}

TEST_P(CodeTracing, TailCallsHandOnTheReturnAddress) {
  lift(R"(
    s_call_b64 s[30:31], first
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first: s_getpc_b64 s[4:5]
  .Lpc:
    s_add_u32 s4, s4, second-.Lpc
    s_addc_u32 s5, s5, 0
    tail: s_setpc_b64 s[4:5]
    .Lfirst: .size first, .Lfirst-first
    .type second,@function
    second: s_nop 2
    return: s_setpc_b64 s[30:31]
    .Lsecond: .size second, .Lsecond-second
  )");
  EXPECT_EQ(transferAt("tail").Kind, ControlTransfer::TailCall);
  EXPECT_EQ(transferAt("return").Kind, ControlTransfer::Return);
}

TEST_P(CodeTracing, AFunctionThatPutsItsReturnAddressElsewhereIsNotTrusted) {
  lift(R"(
    s_call_b64 s[30:31], first
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first: s_add_u32 s30, s30, 4
    return: s_setpc_b64 s[30:31]
    .Lfirst: .size first, .Lfirst-first
  )");
  EXPECT_EQ(transferAt("return").Kind, ControlTransfer::UnresolvedJump);
}

/// s[34:35] holds the address of `second` across a call of `first`.
std::string callAcross(const std::string &First) {
  return R"(
    s_getpc_b64 s[34:35]
  .Lpc:
    s_add_u32 s34, s34, second-.Lpc
    s_addc_u32 s35, s35, 0
    s_call_b64 s[30:31], first
    call: s_swappc_b64 s[30:31], s[34:35]
    s_endpgm
    .Lend2:
    .size kernel, .Lend2-kernel
    .type first,@function
    first:
)" + First +
         R"(
    s_setpc_b64 s[30:31]
    .Lfirst: .size first, .Lfirst-first
    .type second,@function
    second: s_setpc_b64 s[30:31]
    .Lsecond: .size second, .Lsecond-second
)";
}

TEST_P(CodeTracing, RegistersThatACalleeLeavesAloneKeepTheirValue) {
  lift(callAcross("s_mov_b32 s33, 0"));
  EXPECT_EQ(transferAt("call").Kind, ControlTransfer::Call);
}

TEST_P(CodeTracing, RegistersThatACalleePutsBackKeepTheirValue) {
  lift(callAcross(R"(
    v_writelane_b32 v9, s34, 5
    s_mov_b32 s34, 0
    s_nop 4
    v_readlane_b32 s34, v9, 5
  )"));
  EXPECT_EQ(transferAt("call").Kind, ControlTransfer::Call);
}

TEST_P(CodeTracing, RegistersThatACalleeChangesAreUnknown) {
  lift(callAcross("s_mov_b32 s34, 0"));
  EXPECT_EQ(transferAt("call").Kind, ControlTransfer::UnresolvedCall);
}

/// `called` is called by its name, and \p Behind follows; the kernel has the
/// address of `second` in \p Pair before \p Transfer, and maybe another.
std::string callThrough(const std::string &Pair, const std::string &Transfer,
                        const std::string &Behind = "s_mov_b64 s[4:5], 0") {
  return R"(
    s_call_b64 s[30:31], outer
    s_endpgm
    .Lend2: .size kernel, .Lend2-kernel
    .type outer,@function
  outer:
    s_getpc_b64 s[4:5]
  .Lcalled:
    s_add_u32 s4, s4, called-.Lcalled
    s_addc_u32 s5, s5, 0
    s_mov_b64 s[34:35], s[30:31]
    s_swappc_b64 s[30:31], s[4:5]
    )" + Behind +
         R"(
    s_mov_b64 s[30:31], s[34:35]
    s_getpc_b64 s[8:9]
  .Lsecond:
    s_add_u32 s8, s8, second-.Lsecond
    s_addc_u32 s9, s9, 0
    s_cselect_b64 )" +
         Pair + ", s[8:9], s[6:7]\n" + Transfer + R"(
    s_setpc_b64 s[30:31]
    .Louter: .size outer, .Louter-outer
    .type called,@function
  called: s_setpc_b64 s[30:31]
    .Lcalled2: .size called, .Lcalled2-called
    .type second,@function
  second: s_setpc_b64 s[30:31]
    .Lsecond2: .size second, .Lsecond2-second
)";
}

TEST_P(CodeTracing, PointersAreFollowedToFunctionsWhoseAddressIsTaken) {
  lift(callThrough("s[16:17]", "call: s_swappc_b64 s[30:31], s[16:17]"));
  EXPECT_EQ(transferAt("call").Kind, ControlTransfer::UnresolvedCall);
  EXPECT_TRUE(transferAt("call").FollowsPointer);
  unsigned Taken = 0;
  for (const auto &[Symbol, MF] : Kernel.LR->functions()) {
    Taken += Symbol.IsAddressTaken;
    EXPECT_EQ(Symbol.IsAddressTaken, Symbol.Name == "second") << Symbol.Name;
  }
  EXPECT_EQ(Taken, 1u);
}

/// Arguments may be in s[4:5], and `called` leaves its own address there.
TEST_P(CodeTracing, AnAddressThatAnotherCallMayGetAsAnArgumentIsTaken) {
  lift(callThrough("s[16:17]", "call: s_swappc_b64 s[30:31], s[16:17]", ""));
  for (const auto &[Symbol, MF] : Kernel.LR->functions())
    EXPECT_EQ(Symbol.IsAddressTaken,
              Symbol.Name == "second" || Symbol.Name == "called")
        << Symbol.Name;
}

TEST_P(CodeTracing, APointerThatTheReturnAddressOverwritesIsNotFollowed) {
  lift(callThrough("s[30:31]", "call: s_swappc_b64 s[30:31], s[30:31]"));
  EXPECT_EQ(transferAt("call").Kind, ControlTransfer::UnresolvedCall);
  EXPECT_FALSE(transferAt("call").FollowsPointer);
}

TEST_P(CodeTracing, JumpsThroughPointersAreFollowedWhereTheyMayBeTailCalls) {
  lift(callThrough("s[16:17]", R"(
    s_cbranch_scc0 late
    jump: s_setpc_b64 s[16:17]
  late:
    s_mov_b32 s30, 0
    table: s_setpc_b64 s[16:17]
  )"));
  EXPECT_EQ(transferAt("jump").Kind, ControlTransfer::UnresolvedJump);
  EXPECT_TRUE(transferAt("jump").FollowsPointer);
  EXPECT_EQ(transferAt("table").Kind, ControlTransfer::UnresolvedJump);
  // Only where the caller's return address is where functions look for it.
  EXPECT_FALSE(transferAt("table").FollowsPointer);
}

/// Nobody writes the first one, which has no matrix operation behind it.
TEST(CodeTracingOfGfx950, ScalesBelongToTheMatrixOperationBehindThem) {
  LiftedKernel Kernel = liftAssembly(R"(
    alone: .long 0xd3ac0000, 0x00023318
    s_nop 0
    scaled: v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, v25
    s_endpgm
  )",
                                     {"gfx950", 64});
  ASSERT_TRUE(Kernel.LR);
  const MachineInstr &Scaled = Kernel.at("scaled");
  EXPECT_EQ(Kernel.LR->originalAddress(*Scaled.getNextNode()),
            Kernel.Labels["scaled"] + 16);
}

INSTANTIATE_TEST_SUITE_P(Targets, CodeTracing,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

TEST(Decoding, RefusesCodeThatEndsInAnInstruction) {
  const auto &Target = cantFail(amdgpu::MCTarget::get("gfx90a", ""));
  const uint8_t Cut[] = {0xff, 0x00, 0x80, 0xbe}; // s_mov_b32 s0, literal
  auto Result = decode(Target, Cut, 0);
  ASSERT_FALSE(bool(Result));
  handleAllErrors(Result.takeError(), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::UndecodableInstruction);
  });
}

/// LLVM 22 dereferences null for the first ones; of the last it makes an
/// instruction that its encoder does not survive.
TEST(Decoding, RefusesWhatLLVMDoesNotSurvive) {
  const auto &Target = cantFail(amdgpu::MCTarget::get("gfx908", ""));
  const uint32_t Encodings[][2] = {
      {0xd1030000, 0x0001fe00}, // v_add_u16_e64 with a literal
      {0xd04171ff, 0x00000090}, // a comparison into a literal
      {0xe8394a83, 0xff489d4d}, // a buffer access with a literal offset
      {0xd3c00000, 0x00010100}, // a matrix operation on s0
  };
  Decoder Decode(Target);
  for (const auto &Words : Encodings) {
    auto Result = Decode.first(
        ArrayRef(reinterpret_cast<const uint8_t *>(Words), sizeof(Words)), 0);
    EXPECT_FALSE(bool(Result)) << Words[0];
    consumeError(Result.takeError());
  }
  auto Refuses = [](const amdgpu::MCTarget &T, uint32_t Word) {
    auto Result = Decoder(T).first(
        ArrayRef(reinterpret_cast<const uint8_t *>(&Word), sizeof(Word)), 0);
    bool Refused = !Result;
    consumeError(Result.takeError());
    return Refused;
  };
  const auto &Latest = cantFail(amdgpu::MCTarget::get("gfx1201", ""));
  // v_readfirstlane into a literal, and a signal to a barrier that is one.
  EXPECT_TRUE(Refuses(Target, 0x7ffe0400));
  EXPECT_TRUE(Refuses(Latest, 0x7ffe0400));
  EXPECT_TRUE(Refuses(Latest, 0xbe804eff));
}

/// Between operations on barriers, whose source holds no literal.
TEST(Decoding, KnowsALiteralNumberOfVectorRegisters) {
  const auto &Target = cantFail(amdgpu::MCTarget::get("gfx1201", ""));
  const uint32_t Words[] = {0xbe8053ff, 0x1234}; // s_alloc_vgpr 0x1234
  auto Result = Decoder(Target).first(
      ArrayRef(reinterpret_cast<const uint8_t *>(Words), sizeof(Words)), 0);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_EQ(Result->Size, 8u);
  EXPECT_EQ(Target.instructions().getName(Result->Inst.getOpcode()),
            "S_ALLOC_VGPR_gfx12");
  EXPECT_EQ(Result->Inst.getOperand(0).getImm(), 0x1234);
}

} // namespace
