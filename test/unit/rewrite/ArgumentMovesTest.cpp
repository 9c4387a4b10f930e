// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves into argument registers happen all at once, whichever of these the
// values come from.
#include "rewrite/emit/ArgumentMoves.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/Decoder.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace llvm;

namespace luthier {
namespace {

class ArgumentMovesTest : public ::testing::Test {
protected:
  ArgumentMovesTest()
      : Target(*amdgpu::MCTarget::get("gfx90a", "")), Encoder(Target) {
    ABI.FirstArgumentSGPR = 8;
    ABI.FirstArgumentVGPR = 8;
  }

  MCRegister sgpr(unsigned N) const { return Target.registerFiles().sgpr(N); }
  MCRegister vgpr(unsigned N) const { return Target.registerFiles().vgpr(N); }

  /// Every register holds its own id at first; what it holds afterwards.
  std::map<unsigned, unsigned> run(ArrayRef<ArgumentMove> Moves) {
    SmallVector<uint8_t, 64> Code;
    encodeMoves(Moves, ABI, Encoder, Code, sgpr(Temporary));
    std::map<unsigned, unsigned> State;
    auto value = [&](MCRegister R) {
      auto It = State.find(R.id());
      return It == State.end() ? R.id() : It->second;
    };
    auto Decoded = decode(Target, Code, 0);
    EXPECT_TRUE(bool(Decoded));
    for (const DecodedInstruction &D : *Decoded) {
      const unsigned Opcode = Target.opcodes().pseudoOpcode(D.Inst.getOpcode());
      const MCRegister To = D.Inst.getOperand(0).getReg();
      const MCRegister From = D.Inst.getOperand(1).getReg();
      if (Opcode == AMDGPU::S_MOV_B64) {
        ++NumPairs;
        for (unsigned Half : {AMDGPU::sub0, AMDGPU::sub1})
          State[half(To, Half).id()] = value(half(From, Half));
        continue;
      }
      const unsigned Old = value(To);
      State[To.id()] = value(From);
      if (Opcode == AMDGPU::V_SWAP_B32)
        State[From.id()] = Old;
      else
        EXPECT_TRUE(Opcode == AMDGPU::S_MOV_B32 ||
                    Opcode == AMDGPU::V_MOV_B32_e32);
    }
    return State;
  }

  MCRegister half(MCRegister Pair, unsigned Index) const {
    return Target.registers().getSubReg(Pair, Index);
  }

  /// One register per move: From[i] to the i-th argument register.
  void expectPermuted(bool IsVector, ArrayRef<unsigned> From) {
    SmallVector<ArgumentMove, 8> Moves;
    for (unsigned I = 0; I < From.size(); ++I)
      Moves.push_back(
          {{IsVector, I, 1}, IsVector ? vgpr(From[I]) : sgpr(From[I])});
    std::map<unsigned, unsigned> State = run(Moves);
    for (unsigned I = 0; I < From.size(); ++I) {
      const MCRegister To = IsVector ? vgpr(8 + I) : sgpr(8 + I);
      const MCRegister Source = IsVector ? vgpr(From[I]) : sgpr(From[I]);
      EXPECT_EQ(State.contains(To.id()) ? State[To.id()] : To.id(), Source.id())
          << "argument " << I;
    }
    // Nothing else has changed.
    for (auto [Reg, Value] : State)
      if (Reg != sgpr(Temporary).id()) {
        bool IsArgument = false;
        for (unsigned I = 0; I < From.size(); ++I)
          IsArgument |= Reg == (IsVector ? vgpr(8 + I) : sgpr(8 + I)).id();
        EXPECT_TRUE(IsArgument) << Target.registers().getName(Reg);
      }
  }

  static constexpr unsigned Temporary = 60;
  const amdgpu::MCTarget &Target;
  amdgpu::MachineEncoder Encoder;
  PayloadABI ABI;
  unsigned NumPairs = 0; ///< Moved as a whole.
};

TEST_F(ArgumentMovesTest, ChainsAreReadBeforeTheyAreWritten) {
  for (bool IsVector : {false, true}) {
    expectPermuted(IsVector, {9, 10, 11, 3});
    expectPermuted(IsVector, {3, 8, 9, 10});
    expectPermuted(IsVector, {8, 9, 8, 8});
  }
}

TEST_F(ArgumentMovesTest, CyclesExchange) {
  for (bool IsVector : {false, true}) {
    expectPermuted(IsVector, {9, 8});
    expectPermuted(IsVector, {9, 10, 8});
    expectPermuted(IsVector, {9, 8, 11, 10, 9});
  }
}

TEST_F(ArgumentMovesTest, PairsAreMovedAsAWhole) {
  expectPermuted(/*IsVector=*/false, {2, 3});
  EXPECT_EQ(NumPairs, 1u);
  expectPermuted(/*IsVector=*/false, {2, 3, 8, 9});
  EXPECT_EQ(NumPairs, 3u) << "the second is read before it is written";
  const ArgumentSlot Mask{false, 0, 2};
  std::map<unsigned, unsigned> State = run({{Mask, AMDGPU::VCC}});
  EXPECT_EQ(NumPairs, 4u);
  EXPECT_EQ(State[sgpr(8).id()], unsigned(AMDGPU::VCC_LO));
  EXPECT_EQ(State[sgpr(9).id()], unsigned(AMDGPU::VCC_HI));
}

TEST_F(ArgumentMovesTest, OthersAreMovedByHalves) {
  expectPermuted(/*IsVector=*/false, {3, 4});
  expectPermuted(/*IsVector=*/false, {3, 2});
  expectPermuted(/*IsVector=*/false, {1, 2, 3});
  // One half is read by another move, or both are in a cycle.
  expectPermuted(/*IsVector=*/false, {2, 3, 9, 7});
  expectPermuted(/*IsVector=*/false, {10, 11, 8, 9});
  expectPermuted(/*IsVector=*/true, {2, 3});
  EXPECT_EQ(NumPairs, 0u);
  const ArgumentSlot Wide{false, 0, 2};
  std::map<unsigned, unsigned> State = run({{Wide, AMDGPU::EXEC}});
  EXPECT_EQ(State[sgpr(8).id()], unsigned(AMDGPU::EXEC_LO));
  EXPECT_EQ(State[sgpr(9).id()], unsigned(AMDGPU::EXEC_HI));
  run({{Wide, AMDGPU::FLAT_SCR}});
  EXPECT_EQ(NumPairs, 0u);
}

TEST_F(ArgumentMovesTest, OnlyScalarCyclesNeedATemporary) {
  const ArgumentSlot First{false, 0, 1}, Second{false, 1, 1};
  const ArgumentSlot Lanes{true, 0, 1}, MoreLanes{true, 1, 1};
  EXPECT_TRUE(
      needsTemporary({{First, sgpr(9)}, {Second, sgpr(8)}}, ABI, Target));
  EXPECT_FALSE(
      needsTemporary({{First, sgpr(9)}, {Second, sgpr(3)}}, ABI, Target));
  EXPECT_FALSE(
      needsTemporary({{Lanes, vgpr(9)}, {MoreLanes, vgpr(8)}}, ABI, Target));
}

TEST_F(ArgumentMovesTest, RandomOnes) {
  std::mt19937 Random(7);
  for (unsigned Round = 0; Round < 2000; ++Round) {
    SCOPED_TRACE("round " + std::to_string(Round) + " of seed 7");
    SmallVector<unsigned, 8> From(1 + Random() % 8);
    for (unsigned &F : From)
      F = 6 + Random() % 12;
    expectPermuted(Random() % 2, From);
  }
}

} // namespace
} // namespace luthier
