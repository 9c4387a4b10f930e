// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/KernelBlocks.h"
#include "pgo/BranchFlow.h"
#include "pgo/KernelLoads.h"
#include "pgo/ProbeProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

namespace {

std::shared_ptr<const CodeObject> read(const std::string &Name) {
  auto File = MemoryBuffer::getFile(INPUT_DIRECTORY "/" + Twine(Name) + ".co");
  return cantFail(
      CodeObject::create(arrayRefFromStringRef((*File)->getBuffer())));
}

TEST(KernelBlocksTest, BlocksHaveTheWavesThatCameToThem) {
  const auto Object = read("probes");
  const KernelInfo &Kernel = *Object->findKernel("branches");
  CodeCounts Counts;
  Counts[Kernel.EntryAddress] = {3, 5};
  Counts[Kernel.EntryAddress + 8] = {3, 7}; // Behind a load.
  const KernelBlocks K = cantFail(blocksOf(Object, Kernel, Counts));
  ASSERT_GT(K.Blocks.size(), 3u);
  const CountedBlock &First = K.Blocks.front();
  EXPECT_EQ(First.Address, Kernel.EntryAddress);
  EXPECT_EQ(First.Function, "branches");
  EXPECT_EQ(First.Count, (ExecutionCount{3, 7})) << "of the most lanes";
  ASSERT_TRUE(First.Source);
  EXPECT_GT(First.Source->Line, 0u);
  EXPECT_EQ(K.unused(), K.Blocks.size() - 1);
  EXPECT_GT(K.unusedPercent(), 0);
  EXPECT_LT(K.unusedPercent(), 100);
  const auto Probes = cantFail(probeAddresses(*Object));
  EXPECT_EQ(K.probePercent(Probes), 100);
  EXPECT_EQ(K.probePercent({}), 0);
}

CountedBlock blockAt(uint64_t Address, uint64_t End, uint64_t Waves,
                     bool EndsInJump = false) {
  CountedBlock B;
  B.Address = Address;
  B.End = End;
  B.Count.Waves = Waves;
  B.Executed = Waves * 2;
  B.EndsInJump = EndsInJump;
  return B;
}

TEST(KernelBlocksTest, LayoutHasTheLinesThatHoldExecutedCode) {
  KernelBlocks K;
  K.Blocks = {blockAt(0x100, 0x108, 5, true), blockAt(0x108, 0x17c, 0),
              blockAt(0x17c, 0x184, 7), blockAt(0x184, 0x200, 0, true)};
  const CodeLayout Layout = K.layout();
  EXPECT_EQ(Layout.Lines, 3u) << "of 0x100, 0x140 and 0x180";
  EXPECT_EQ(Layout.PackedLines, 1u);
  EXPECT_EQ(Layout.Executed, 24u);
  EXPECT_EQ(Layout.Jumps, 5u);
  K.Blocks = {blockAt(0x100, 0x140, 1)};
  EXPECT_EQ(K.layout().Lines, 1u) << "the end belongs to the next line";
}

/// One that ends in a branch if there is a target.
CountedBlock blockBefore(uint64_t Address, uint64_t Waves,
                         std::vector<uint64_t> Successors,
                         std::optional<uint64_t> Target = std::nullopt) {
  CountedBlock B = blockAt(Address, Address + 8, Waves);
  B.Successors = std::move(Successors);
  B.Target = Target;
  B.IsEntry = Address == 0x100;
  return B;
}

TEST(BranchFlowTest, BranchesAreTakenWhereTheirOtherSideIsNotExecuted) {
  // Of ten waves, seven skip a block, and two of the others another.
  const BranchFlow Flow = branchFlowOf(
      {blockBefore(0x100, 10, {0x108, 0x118}, 0x118),
       blockBefore(0x108, 3, {0x110, 0x118}, 0x118),
       blockBefore(0x110, 1, {0x118}), blockBefore(0x118, 10, {})});
  EXPECT_EQ(Flow.Taken, 7u + 2u);
  EXPECT_EQ(Flow.Avoidable, (7u - 3u) + (2u - 1u));
}

TEST(BranchFlowTest, RoundsOfLoopsHaveToJump) {
  // A wave goes round nine times, and skips a block in all but one.
  const BranchFlow Flow =
      branchFlowOf({blockBefore(0x100, 1, {0x108}),
                    blockBefore(0x108, 9, {0x110, 0x118}, 0x118),
                    blockBefore(0x110, 1, {0x118}),
                    blockBefore(0x118, 9, {0x120, 0x108}, 0x108),
                    blockBefore(0x120, 1, {})});
  EXPECT_EQ(Flow.Taken, 8u + 8u);
  EXPECT_EQ(Flow.Avoidable, 8u - 1u);
  // Back, but into no loop.
  EXPECT_EQ(
      branchFlowOf({blockBefore(0x100, 1, {0x110}), blockBefore(0x108, 5, {}),
                    blockBefore(0x110, 5, {0x118, 0x108}, 0x108),
                    blockBefore(0x118, 0, {})})
          .Avoidable,
      5u);
}

TEST(BranchFlowTest, WhatIsNotKnownIsTheMostThatMayBe) {
  // A block that the table does not have comes before the second.
  const BranchFlow Flow =
      branchFlowOf({blockBefore(0x100, 10, {0x108, 0x200}, 0x200),
                    blockBefore(0x108, 12, {0x110, 0x118}, 0x118),
                    blockBefore(0x110, 12, {}), blockBefore(0x118, 4, {})});
  EXPECT_EQ(Flow.Taken, 10u + 4u);
}

TEST(BranchFlowTest, KernelsHaveBranches) {
  const auto Object = read("probes");
  const KernelInfo &Kernel = *Object->findKernel("branches");
  const KernelBlocks K = cantFail(blocksOf(Object, Kernel, {}));
  EXPECT_TRUE(K.Blocks.front().IsEntry);
  EXPECT_TRUE(any_of(K.Blocks, [](const CountedBlock &B) {
    return B.Target && B.Successors.size() == 2 &&
           is_contained(B.Successors, *B.Target);
  }));
}

TEST(KernelBlocksTest, BlocksEndWhereTheNextOnesBegin) {
  const auto Object = read("probes");
  const KernelInfo &Kernel = *Object->findKernel("branches");
  const KernelBlocks K = cantFail(blocksOf(Object, Kernel, {}));
  for (const auto &[B, Next] : zip(K.Blocks, drop_begin(K.Blocks))) {
    EXPECT_GT(B.End, B.Last);
    if (B.Function == Next.Function)
      EXPECT_LE(B.End, Next.Address);
  }
  EXPECT_EQ(K.Blocks.back().End, K.Blocks.back().Last + 4);
}

TEST(KernelBlocksTest, BranchesAreClassified) {
  ExecutedBranches Of;
  const StringRef Text = R"({"kernels":[{"name":"k","code":"c","branches":[
    {"address":4,"instruction":"s_cbranch_scc1","executed":9,"agreed":9,
     "lanes":9,"taken":9},
    {"address":8,"instruction":"s_and_saveexec_b64","executed":9,"agreed":9,
     "lanes":9,"taken":9},
    {"address":12,"instruction":"s_and_saveexec_b64","executed":9,"agreed":8,
     "lanes":9,"taken":9},
    {"address":16,"instruction":"s_cbranch_vccz","executed":0,"agreed":0,
     "lanes":0,"taken":0}]}],"refused":[]})";
  ASSERT_FALSE(errorToBool(addBranches(Text, Of)));
  std::vector<std::string> Classes;
  for (const auto &[Address, B] : Of["c"]["k"])
    Classes.push_back(toString(B.classify()).str());
  EXPECT_EQ(Classes,
            (std::vector<std::string>{"always uniform", "uniform so far",
                                      "divergent", "not executed"}));
  // Of a second device.
  ASSERT_FALSE(errorToBool(addBranches(Text, Of)));
  EXPECT_EQ(Of["c"]["k"][12].Executed, 18u);
  // Of a kernel of this name in another code object.
  std::string Other = Text.str();
  Other[Other.find("\"c\"") + 1] = 'd';
  ASSERT_FALSE(errorToBool(addBranches(Other, Of)));
  EXPECT_EQ(Of["c"]["k"][12].Executed, 18u);
  EXPECT_EQ(Of["d"]["k"][12].Executed, 9u);
  for (const char *Bad :
       {"", "[]", "{}", R"({"kernels":[{"name":"k","code":"c"}]})",
        R"({"kernels":[{"name":"k","branches":[]}]})",
        R"({"kernels":[{"name":"k","code":"c","branches":[{}]}]})"})
    EXPECT_TRUE(errorToBool(addBranches(Bad, Of))) << Bad;
}

StringRef classOf(bool IsUniform, uint64_t Waves,
                  std::optional<LoadCount> Count) {
  CountedLoad L;
  L.IsUniform = IsUniform;
  L.Waves = Waves;
  L.Count = Count;
  return toString(L.classify());
}

TEST(KernelLoadsTest, LoadsAreClassified) {
  EXPECT_EQ(classOf(false, 0, std::nullopt), "not executed");
  EXPECT_EQ(classOf(false, 9, std::nullopt), "not counted");
  EXPECT_EQ(classOf(false, 9, LoadCount()), "not executed")
      << "no lane was active";
  EXPECT_EQ(classOf(false, 9, LoadCount{9, 9, 99}), "uniform so far");
  EXPECT_EQ(classOf(false, 9, LoadCount{9, 8, 99}), "divergent");
  EXPECT_EQ(classOf(true, 9, std::nullopt), "always uniform");
  EXPECT_EQ(classOf(true, 0, LoadCount()), "not executed");
}

TEST(KernelLoadsTest, LoadsHaveTheirLinesAndCounts) {
  const auto Object = read("lines");
  const KernelInfo &Kernel = *Object->findKernel("branches");
  const auto Before = cantFail(loadsOf(Object, Kernel, {}, {}));
  ASSERT_FALSE(Before.empty());
  const CountedLoad *Vector = nullptr;
  bool HasScalar = false;
  for (const CountedLoad &L : Before) {
    EXPECT_TRUE(L.Source);
    HasScalar |= L.Space == MemorySpace::Scalar && L.IsUniform;
    if (L.Space == MemorySpace::Global)
      Vector = &L;
  }
  EXPECT_TRUE(HasScalar);
  ASSERT_TRUE(Vector);
  const LoadCounts Counts = {{Vector->Address, {4, 3, 44}}};
  for (const CountedLoad &L :
       cantFail(loadsOf(Object, Kernel, {{Vector->Address, {5, 50}}}, Counts)))
    if (L.Address == Vector->Address) {
      EXPECT_EQ(L.Waves, 5u);
      EXPECT_EQ(L.Count->Lanes, 44u);
    } else {
      EXPECT_FALSE(L.Count);
    }
}

} // namespace
