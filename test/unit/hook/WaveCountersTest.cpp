// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of the wave, in lanes of the state value array and in scalar
// registers, whatever EXEC is.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class WaveCounters : public ::testing::TestWithParam<EngineTarget> {
protected:
  PayloadRun Run{GetParam()};
  unsigned lanes() const { return GetParam().WaveSize; }
};
INSTANTIATE_TEST_SUITE_P(Every, WaveCounters, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(WaveCounters, InLanesAddInScalarCode) {
  Run.parseHooks(R"(
@First = external addrspace(1) global i64
@Second = external addrspace(1) global i64
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
declare i64 @"luthier::waveCounter.i64.ptr"(ptr) #5
define void @hook() #0 {
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @First to ptr), i64 7)
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Second to ptr), i64 4294967298)
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @First to ptr), i64 1)
  %n = call i64 @"luthier::waveCounter.i64.ptr"(ptr addrspacecast (ptr addrspace(1) @First to ptr))
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Second to ptr), i64 %n)
  ret void
})");
  Run.Hooks.Variables["First"] = 0x1000;
  Run.Hooks.Variables["Second"] = 0x2000;
  HookNeeds Needs = Run.needs("hook");
  EXPECT_EQ(Needs.Accumulators, 2u);
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0xa0)}) {
    Run.EXEC = EXEC;
    Run.State = {{26, 0xffffffff}, {27, 5}, {28, 10}, {29, 0}};
    PayloadABI ABI = Run.abi();
    ABI.Module.FirstAccumulator = 1;
    auto P = Run.compile("hook", ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    EXPECT_TRUE(P->WritesState);
    EXPECT_FALSE(P->UsesFloat);
    EXPECT_EQ(P->StackSize, 0u);
    WaveState Before = Run.initialState(ABI);
    WaveState After = Run.run(*P, ABI, Before);
    const auto &W = After.VGPRs[16];
    EXPECT_EQ(W[26], 7u);
    EXPECT_EQ(W[27], 6u);
    EXPECT_EQ(W[28], 10u + 2 + 7);
    EXPECT_EQ(W[29], 1u + 6);
    for (unsigned Lane = 0; Lane < lanes(); ++Lane)
      if (Lane < 26 || Lane > 29)
        EXPECT_EQ(W[Lane], Before.VGPRs[16][Lane]);
  }
}

TEST_P(WaveCounters, AreElementsOfArraysAndMembersToo) {
  Run.parseHooks(R"(
@Array = external addrspace(1) global [4 x i64]
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
define void @hook() #0 {
  %two = getelementptr i64, ptr addrspacecast (ptr addrspace(1) @Array to ptr), i64 2
  call void @"luthier::waveAdd.ptr.i64"(ptr %two, i64 7)
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) getelementptr ([4 x i64], ptr addrspace(1) @Array, i64 0, i64 3) to ptr), i64 100)
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @Array, i64 16) to ptr), i64 1)
  ret void
})");
  Run.Hooks.Variables["Array"] = 0x1000;
  for (bool InFile : {false, true}) {
    Run.Hooks.SymbolicVariables = InFile;
    Run.forgetCompiled();
    EXPECT_EQ(Run.needs("hook").Accumulators, 2u);
    Run.State = {{24, 10}, {25, 0}, {26, 20}, {27, 0}};
    const PayloadABI ABI = Run.abi();
    auto P = Run.compile("hook", ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    const WaveState After = Run.run(*P, ABI, Run.initialState(ABI));
    EXPECT_EQ(After.VGPRs[16][24], 18u);
    EXPECT_EQ(After.VGPRs[16][26], 120u);
  }
}

TEST_P(WaveCounters, InScalarRegistersAddInPlace) {
  Run.parseHooks(R"(
@First = external addrspace(1) global i64
@Second = external addrspace(1) global i64
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
declare i64 @"luthier::waveCounter.i64.ptr"(ptr) #5
define void @constant() #0 {
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @First to ptr), i64 7)
  ret void
}
define void @both() #0 {
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @First to ptr), i64 7)
  %n = call i64 @"luthier::waveCounter.i64.ptr"(ptr addrspacecast (ptr addrspace(1) @First to ptr))
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Second to ptr), i64 %n)
  ret void
})");
  Run.Hooks.Variables["First"] = 0x1000;
  Run.Hooks.Variables["Second"] = 0x2000;
  PayloadABI ABI = Run.abi();
  ABI.FirstCounterSGPR = ABI.FirstSGPR;
  ABI.NumScalarCounters = 2;
  ABI.FirstSGPR += 4;
  const unsigned First = ABI.FirstCounterSGPR;
  auto P = Run.compile("constant", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  // s_add_u32 and s_addc_u32, or s_add_nc_u64.
  EXPECT_LE(P->Code.size(), 8u) << toHex(P->Code);
  EXPECT_FALSE(P->UsesState);
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0xa0)}) {
    Run.EXEC = EXEC;
    P = Run.compile("both", ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    WaveState Before = Run.initialState(ABI);
    Before.SGPRs[First] = 0xffffffff;
    Before.SGPRs[First + 1] = 5;
    Before.SGPRs[First + 2] = 10;
    Before.SGPRs[First + 3] = 0;
    const WaveState After = Run.run(*P, ABI, Before);
    EXPECT_EQ(After.SGPRs[First], 6u);
    EXPECT_EQ(After.SGPRs[First + 1], 6u);
    EXPECT_EQ(After.SGPRs[First + 2], 16u);
    EXPECT_EQ(After.SGPRs[First + 3], 6u);
  }
}

/// Two hooks that add a counter and a wide one between a comparison of scalars
/// and the choice by it, which is not a number of the wave.
std::string hooksThatAddInBetween() {
  std::string IR = R"(
@Pair = external addrspace(1) global [2 x i64]
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
declare void @"luthier::detail::waveAddWide.ptr.i64"(ptr, i64) #6
declare i32 @"luthier::readReg.i32.i32"(i32) #2
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::waveAddWide" }
)";
  for (const char *Add : {"waveAdd", "detail::waveAddWide"}) {
    IR += std::string("define void @") +
          (StringRef(Add) == "waveAdd" ? "narrow" : "wide") + "() #0 {\n";
    IR += readsOfFourScalars() + R"(%less = icmp ult i32 %s0, %s1
  call void @"luthier::)" +
          std::string(Add) +
          R"(.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Pair to ptr), i64 7)
  %x = select i1 %less, i32 %s2, i32 %s3
  store i32 %x, ptr addrspace(1) @Out
  ret void
}
)";
  }
  return IR;
}

TEST_P(WaveCounters, AreAddedToBetweenAComparisonAndItsUse) {
  Run.parseHooks(hooksThatAddInBetween());
  Run.Hooks.Variables["Pair"] = 0x1000;
  PayloadABI ABI = Run.abi();
  ABI.FirstCounterSGPR = ABI.FirstSGPR;
  ABI.NumScalarCounters = 2;
  ABI.FirstSGPR += 4;
  const unsigned First = ABI.FirstCounterSGPR;
  for (const char *Hook : {"narrow", "wide"}) {
    SCOPED_TRACE(Hook);
    auto P = Run.compile(Hook, ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    for (const bool IsLess : {false, true})
      // Additions that carry, and that do not.
      for (const uint32_t Word : {0u, 0xffffffffu}) {
        WaveState Before = Run.initialState(ABI);
        Before.SGPRs[4] = IsLess ? 1 : 2;
        Before.SGPRs[5] = IsLess ? 2 : 1;
        Before.SGPRs[First] = Before.SGPRs[First + 1] = Word;
        const WaveState After = Run.run(*P, ABI, Before);
        EXPECT_EQ(After.SGPRs[First], Word + 7);
        EXPECT_EQ(Run.out(1)[0], Before.SGPRs[IsLess ? 6 : 7]);
      }
  }
}

TEST_P(WaveCounters, OfLanesAddWhereTheLaneIsActive) {
  Run.parseHooks(R"(
declare void @count(i32) #6
define void @hook() #0 {
  call void @count(i32 1)
  ret void
}
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::laneCount" }
)");
  EXPECT_EQ(Run.needs("hook").LaneCounters, 2u);
  PayloadABI ABI = Run.abi();
  ABI.FirstLaneVGPR = alignTo(ABI.FirstVGPR, 2);
  ABI.NumLaneCounters = 3;
  ABI.FirstVGPR = ABI.FirstLaneVGPR + 6;
  // The second tool's.
  ABI.Module.FirstLaneCounter = 1;
  auto P = Run.compile("hook", ABI);
  if (lanes() == 32) {
    ASSERT_FALSE(bool(P));
    EXPECT_NE(toString(P.takeError()).find("waves of 32"), std::string::npos);
    return;
  }
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  const unsigned Low = ABI.FirstLaneVGPR + 4;
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0xa0)}) {
    Run.EXEC = EXEC;
    WaveState Before = Run.initialState(ABI);
    Before.VGPRs[Low].assign(64, 0xffffffff);
    Before.VGPRs[Low + 1].assign(64, 5);
    const WaveState After = Run.run(*P, ABI, Before);
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      const bool IsActive = EXEC >> Lane & 1;
      EXPECT_EQ(After.VGPRs[Low][Lane], IsActive ? 0 : 0xffffffff);
      EXPECT_EQ(After.VGPRs[Low + 1][Lane], IsActive ? 6 : 5);
    }
  }
  ABI.NumLaneCounters = 2;
  P = Run.compile("hook", ABI);
  ASSERT_FALSE(bool(P));
  EXPECT_NE(toString(P.takeError()).find("a counter of lanes"),
            std::string::npos);
}

TEST_P(WaveCounters, TakeLowAdditionsInTheLowHalfAlone) {
  Run.parseHooks(R"(
@First = external addrspace(1) global i64
declare void @"luthier::detail::waveAddLow.ptr.i32"(ptr, i32) #6
define void @hook() #0 {
  call void @"luthier::detail::waveAddLow.ptr.i32"(ptr addrspacecast (ptr addrspace(1) @First to ptr), i32 7)
  ret void
}
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::waveAddLow" }
)");
  Run.Hooks.Variables["First"] = 0x1000;
  EXPECT_EQ(Run.needs("hook").Accumulators, 1u);
  PayloadABI ABI = Run.abi();
  Run.State = {{24, 10}, {25, 5}};
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EXPECT_TRUE(P->WritesState);
  WaveState After = Run.run(*P, ABI, Run.initialState(ABI));
  EXPECT_EQ(After.VGPRs[16][24], 17u);
  EXPECT_EQ(After.VGPRs[16][25], 5u);

  ABI.FirstCounterSGPR = ABI.FirstSGPR;
  ABI.NumScalarCounters = 1;
  ABI.FirstSGPR += 2;
  const unsigned First = ABI.FirstCounterSGPR;
  P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  // Alone, or with the wait behind it that gfx12 wants.
  const bool Waits = StringRef(GetParam().Processor) == "gfx1201";
  EXPECT_EQ(P->Code.size(), Waits ? 8u : 4u) << toHex(P->Code);
  ASSERT_TRUE(P->OnlyAdds);
  ASSERT_EQ(P->OnlyAdds->size(), 1u);
  EXPECT_TRUE(P->OnlyAdds->front().IsLow);
  EXPECT_EQ(P->OnlyAdds->front().Number, 7u);
  WaveState Before = Run.initialState(ABI);
  Before.SGPRs[First] = 10;
  Before.SGPRs[First + 1] = 5;
  After = Run.run(*P, ABI, Before);
  EXPECT_EQ(After.SGPRs[First], 17u);
  EXPECT_EQ(After.SGPRs[First + 1], 5u);
}

TEST_P(WaveCounters, CanBeSetByHalves) {
  Run.parseHooks(R"(
@Halves = external addrspace(1) global [4 x i32]
declare void @"luthier::detail::waveSetHalf.ptr.i32"(ptr, i32) #6
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.ctpop.i64(i64)
define void @low() #0 {
  %half = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @Halves to ptr), i64 2
  call void @"luthier::detail::waveSetHalf.ptr.i32"(ptr %half, i32 70000)
  ret void
}
define void @high() #0 {
  %half = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @Halves to ptr), i64 3
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %count = call i64 @llvm.ctpop.i64(i64 %mask)
  %number = trunc i64 %count to i32
  call void @"luthier::detail::waveSetHalf.ptr.i32"(ptr %half, i32 %number)
  ret void
}
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::waveSetHalf" }
)");
  Run.Hooks.Variables["Halves"] = 0x1000;
  for (const bool IsScalar : {false, true}) {
    PayloadABI ABI = Run.abi();
    const unsigned First = ABI.FirstSGPR;
    if (IsScalar) {
      ABI.FirstCounterSGPR = First;
      ABI.NumScalarCounters = 1;
      ABI.FirstSGPR += 2;
    }
    for (const uint64_t EXEC :
         {~uint64_t(0), uint64_t(0), uint64_t(0xa0), uint64_t(1) << 31}) {
      Run.EXEC = EXEC;
      Run.State = {{24, 10}, {25, 11}};
      const uint64_t Active = lanes() == 64 ? EXEC : uint32_t(EXEC);
      for (const bool IsHigh : {false, true}) {
        const char *Hook = IsHigh ? "high" : "low";
        EXPECT_EQ(Run.needs(Hook).Accumulators, 1u);
        auto P = Run.compile(Hook, ABI);
        ASSERT_TRUE(bool(P)) << toString(P.takeError());
        EXPECT_FALSE(P->OnlyAdds);
        EXPECT_EQ(P->WritesState, !IsScalar);
        WaveState Before = Run.initialState(ABI);
        if (IsScalar) {
          Before.SGPRs[First] = 10;
          Before.SGPRs[First + 1] = 11;
        }
        const WaveState After = Run.run(*P, ABI, Before);
        const auto &W = After.VGPRs[16];
        EXPECT_EQ(IsScalar ? After.SGPRs[First] : W[24], IsHigh ? 10u : 70000u);
        EXPECT_EQ(IsScalar ? After.SGPRs[First + 1] : W[25],
                  IsHigh ? unsigned(popcount(Active)) : 11u);
      }
    }
  }
}

TEST_P(WaveCounters, OfTwoCarryIntoTheSecond) {
  Run.parseHooks(R"(
@Wide = external addrspace(1) global [2 x i64]
declare void @"luthier::detail::waveAddWide.ptr.i64"(ptr, i64) #6
define void @hook() #0 {
  call void @"luthier::detail::waveAddWide.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Wide to ptr), i64 4294967299)
  ret void
}
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::waveAddWide" }
)");
  Run.Hooks.Variables["Wide"] = 0x1000;
  EXPECT_EQ(Run.needs("hook").Accumulators, 2u);
  struct Case {
    uint32_t Low, High, SumLow, SumHigh, Carry;
  };
  constexpr Case Cases[] = {
      {10, 5, 13, 6, 0},
      {0xfffffffe, 5, 1, 7, 0},
      {10, 0xffffffff, 13, 0, 1},
      {0xfffffffd, 0xfffffffe, 0, 0, 1},
      {0xfffffffc, 0xfffffffe, 0xffffffff, 0xffffffff, 0}};
  // In lanes, in scalar registers, and one of each.
  for (unsigned NumScalar : {0, 1, 2}) {
    PayloadABI ABI = Run.abi();
    ABI.FirstCounterSGPR = ABI.FirstSGPR;
    ABI.NumScalarCounters = NumScalar;
    ABI.FirstSGPR += 2 * NumScalar;
    const unsigned First = ABI.FirstCounterSGPR;
    auto P = Run.compile("hook", ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    const unsigned CarryLane = NumScalar ? 24 : 26;
    for (const Case &C : Cases)
      for (uint64_t EXEC : {~uint64_t(0), uint64_t(0)}) {
        Run.EXEC = EXEC;
        Run.State = {{24, C.Low}, {25, C.High}};
        Run.State[CarryLane] = 40;
        WaveState Before = Run.initialState(ABI);
        if (NumScalar) {
          Before.SGPRs[First] = C.Low;
          Before.SGPRs[First + 1] = C.High;
        }
        if (NumScalar == 2)
          Before.SGPRs[First + 2] = 40;
        const WaveState After = Run.run(*P, ABI, Before);
        const auto &W = After.VGPRs[16];
        EXPECT_EQ(NumScalar ? After.SGPRs[First] : W[24], C.SumLow);
        EXPECT_EQ(NumScalar ? After.SGPRs[First + 1] : W[25], C.SumHigh);
        EXPECT_EQ(NumScalar == 2 ? After.SGPRs[First + 2] : W[CarryLane],
                  40 + C.Carry);
      }
  }
}

} // namespace
