// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One payload serves all kernels that give its hook other constants.
#include "EngineTest.h"
#include "hook/HookCompilers.h"

using namespace llvm;

namespace luthier::test {
namespace {

class CompileOnce : public EngineTest {
protected:
  CompileOnce() {
    Options.Engine.Compilers = &Compilers;
    setHipHooks(R"(
__device__ uint64_t Counts[64][2];
__device__ uint64_t Sum, Flushed, Values[64];
__device__ unsigned long long Lanes[8 * 64];
LUTHIER_HOOK_ANNOTATE countIn(uint32_t Slot) {
  luthier::waveAtomicAddEach(Counts[Slot], {uint64_t(1), uint64_t(2)});
}
LUTHIER_HOOK_ANNOTATE countInLanes(int32_t Slot) {
  atomicAdd(reinterpret_cast<unsigned long long *>(&Counts[Slot + 3][1]), 1);
}
LUTHIER_HOOK_ANNOTATE countInSeven() {
  luthier::waveAtomicAddEach(Counts[7], {uint64_t(1), uint64_t(2)});
}
LUTHIER_HOOK_ANNOTATE countFarApart() {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  for (unsigned I : {0, 1, 300, 301, 511})
    atomicAdd(&Lanes[I], 1);
  luthier::writeExec(Active);
}
LUTHIER_HOOK_ANNOTATE countForLane(uint64_t Row) {
  atomicAdd(Lanes + Row * 64 + __lane_id(), 1);
}
LUTHIER_HOOK_ANNOTATE countForLaneInFive() {
  atomicAdd(Lanes + 5 * 64 + __lane_id(), 1);
}
LUTHIER_HOOK_ANNOTATE add(uint64_t Number) { luthier::waveAdd(Sum, Number); }
LUTHIER_HOOK_ANNOTATE flush() { luthier::waveFlush(Sum, Flushed); }
LUTHIER_HOOK_ANNOTATE choose(uint32_t Which) {
  luthier::waveAtomicAdd(&Values[Which], Which & 1 ? 5 : 7);
}
)");
  }

  Object kernel(unsigned VGPRs = 32) {
    AssemblyKernel K;
    K.VGPRs = VGPRs;
    K.Body = "v_mov_b32_e32 v1, v0\n s_nop 0\n v_mov_b32_e32 v" +
             std::to_string(VGPRs - 1) + ", v1\n s_endpgm\n";
    return fromAssembly(K);
  }
  Judgement judgeWith(const Mutator &Mutate, const Object &Kernel) {
    Judgement J = expectUnchanged(Kernel, {{65, 1, 1}, {65, 1, 1}}, Mutate);
    EXPECT_EQ(J.Problem, "");
    return J;
  }
  static uint64_t wordOf(const Judgement &J, const char *Name, unsigned Index) {
    uint64_t Word = 0;
    const Bytes &All = J.Variables.at(Name);
    EXPECT_LE(8 * (Index + 1), All.size());
    std::memcpy(&Word, All.data() + size_t(8) * Index, 8);
    return Word;
  }
  static unsigned compiledFor(const Judgement &J) {
    return J.Instrumented.Report.Compiled;
  }

  HookCompilers Compilers;
};

TEST_P(CompileOnce, ASlotOfEachKernelIsALiteral) {
  const Object K = kernel();
  for (unsigned Slot : {5u, 0u, 63u, 7u}) {
    SCOPED_TRACE(Slot);
    const Judgement J = judgeWith(everywhere("countIn", {Slot}), K);
    EXPECT_EQ(compiledFor(J), Slot == 5);
    for (unsigned I = 0; I < 64; ++I) {
      EXPECT_EQ(wordOf(J, "Counts", 2 * I), I == Slot ? J.WaveInstructions : 0);
      EXPECT_EQ(wordOf(J, "Counts", 2 * I + 1),
                I == Slot ? 2 * J.WaveInstructions : 0);
    }
  }
}

TEST_P(CompileOnce, ASlotCountsFromWhereTheHookSays) {
  const Object K = kernel();
  for (int32_t Slot : {-3, 11, -1, 60}) {
    SCOPED_TRACE(Slot);
    const Judgement J = judgeWith(everywhere("countInLanes", {Slot}), K);
    for (int32_t I = 0; I < 64; ++I)
      EXPECT_EQ(wordOf(J, "Counts", 2 * I + 1),
                I == Slot + 3 ? uint64_t(4 * 65) : 0);
  }
}

TEST_P(CompileOnce, ALiteralCanBeTheBaseOfAPlaceForEachLane) {
  const Object K = kernel();
  for (unsigned Row : {5u, 0u, 7u, 1u}) {
    SCOPED_TRACE(Row);
    const Judgement J = judgeWith(everywhere("countForLane", {Row}), K);
    EXPECT_EQ(compiledFor(J), Row == 5);
    for (unsigned I = 0; I < 8; ++I) {
      uint64_t Sum = 0;
      for (unsigned Lane = 0; Lane < 64; ++Lane)
        Sum += wordOf(J, "Lanes", 64 * I + Lane);
      EXPECT_EQ(Sum, I == Row ? 4u * 65 : 0);
    }
  }
}

TEST_P(CompileOnce, PlacesOfAVariableMayBeFarApart) {
  const Judgement J = judgeWith(everywhere("countFarApart", {}), kernel());
  for (unsigned I : {0u, 1u, 300u, 301u, 511u})
    EXPECT_EQ(wordOf(J, "Lanes", I), J.WaveInstructions) << I;
}

TEST_P(CompileOnce, ALiteralAddressTakesAsMuchCodeAsAConstantOne) {
  const Object K = kernel();
  auto bytesAfter = [&](const char *Name, std::vector<HookArgument> Arguments) {
    return judgeWith(
               [=](LiftedRepresentation &, InstrumentationTask &Task) {
                 Task.insertHookAtWaveEnd(hook(Name), Arguments);
               },
               K)
        .Instrumented.Report.BytesAfter;
  };
  // Two moves into vector registers.
  EXPECT_EQ(bytesAfter("countIn", {7}), bytesAfter("countInSeven", {}));
  EXPECT_LE(bytesAfter("countForLane", {5}),
            bytesAfter("countForLaneInFive", {}));
}

TEST_P(CompileOnce, NumbersToAddAreLiteralsUnlessZero) {
  const Object K = kernel();
  // One begins like the places that stand for variables of files' tools.
  for (uint64_t Number : {uint64_t(3), uint64_t(1) << 40, uint64_t(9),
                          uint64_t(0xa5) << 56 | 4096}) {
    const Judgement J = judgeWith(
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          everywhere("add", {Number})(LR, Task);
          Task.insertHookAtWaveEnd(hook("flush"));
        },
        K);
    EXPECT_EQ(J.variable("Flushed"), Number * J.WaveInstructions);
    EXPECT_EQ(compiledFor(J), Number == 3 ? 2u : 0u);
  }
  const Judgement J = judgeWith(everywhere("add", {uint64_t(0)}), K);
  EXPECT_EQ(compiledFor(J), 1u);
}

TEST_P(CompileOnce, ConstantsThatDecideAreCompiledInOnceEach) {
  const Object K = kernel();
  std::map<uint32_t, unsigned> Seen;
  for (uint32_t Which : {1u, 2u, 1u, 2u, 2u}) {
    const Judgement J = judgeWith(everywhere("choose", {Which}), K);
    EXPECT_EQ(compiledFor(J), Seen[Which]++ ? 0u : 1u);
    EXPECT_EQ(wordOf(J, "Values", Which),
              (Which & 1 ? 5 : 7) * J.WaveInstructions);
  }
}

/// Of more than a few, each copy has its own as a literal, whichever kernels it
/// is that they come up in.
TEST_P(CompileOnce, ConstantsOfManyKernelsAreCompiledInForAFew) {
  const Object K = kernel();
  unsigned Compiled = 0;
  for (uint32_t Which = 1; Which <= 7; ++Which) {
    const Judgement J = judgeWith(everywhere("choose", {Which}), K);
    Compiled += compiledFor(J);
    EXPECT_EQ(wordOf(J, "Values", Which),
              (Which & 1 ? 5 : 7) * J.WaveInstructions);
  }
  EXPECT_EQ(Compiled, 5u);
}

TEST_P(CompileOnce, OtherRegistersMeanOtherCode) {
  const Object Small = kernel(), Large = kernel(40);
  EXPECT_EQ(compiledFor(judgeWith(everywhere("countIn", {1}), Small)), 1u);
  EXPECT_EQ(compiledFor(judgeWith(everywhere("countIn", {2}), Large)), 1u);
  EXPECT_EQ(compiledFor(judgeWith(everywhere("countIn", {3}), Small)), 0u);
  EXPECT_EQ(compiledFor(judgeWith(everywhere("countIn", {4}), Large)), 0u);
}

/// The number of a counter, and so its registers, depends on the others.
TEST_P(CompileOnce, OneHooksCodeDoesNotDependOnOthers) {
  const Object K = kernel();
  judgeWith(everywhere("add", {uint64_t(3)}), K);
  const Judgement J = judgeWith(
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        everywhere("countIn", {9})(LR, Task);
        everywhere("add", {uint64_t(4)})(LR, Task);
        Task.insertHookAtWaveEnd(hook("flush"));
      },
      K);
  EXPECT_EQ(J.variable("Flushed"), 4 * J.WaveInstructions);
  EXPECT_EQ(wordOf(J, "Counts", 18), J.WaveInstructions);
  EXPECT_EQ(compiledFor(J), 2u);
}

/// Nothing else of what was compiled with the other compilers is left.
TEST_P(CompileOnce, WhatOthersHaveParsedServesAsWell) {
  const Object K = kernel();
  const Judgement Alone = judgeWith(everywhere("countIn", {9}), K);
  HookCompilers Others, After;
  Options.Engine.Compilers = &Others;
  for (unsigned Slot : {1, 2, 3, 4, 5, 6})
    judgeWith(everywhere("countIn", {Slot}), K);
  After.takeParsed(std::move(Others));
  Options.Engine.Compilers = &After;
  const Judgement J = judgeWith(everywhere("countIn", {9}), K);
  EXPECT_EQ(compiledFor(J), 1u);
  EXPECT_EQ(wordOf(J, "Counts", 18), J.WaveInstructions);
  EXPECT_EQ(J.Instrumented.CodeObject, Alone.Instrumented.CodeObject);
}

INSTANTIATE_TEST_SUITE_P(Targets, CompileOnce,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
} // namespace luthier::test
