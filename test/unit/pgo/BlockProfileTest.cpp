// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of a code object whose blocks were executed as the tests say.
#include "ReadInput.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;

namespace {

constexpr ExecutionCount ByThreeWaves = {3, 5}; ///< With so many lanes.

TEST(BlockProfileTest, MarksOfThisCodeAreBesideIt) {
  const auto Release = readInput("release");
  for (const char *Name : {"probes", "lines"}) {
    const auto Other = readInput(Name);
    EXPECT_EQ(*Release->section(".text"), *Other->section(".text")) << Name;
    EXPECT_EQ(*Release->section(".rodata"), *Other->section(".rodata")) << Name;
    EXPECT_NE(digestOf(*Release), digestOf(*Other)) << Name;
  }
  EXPECT_FALSE(hasProbes(*Release));
  EXPECT_FALSE(hasLines(*Release));
  EXPECT_TRUE(hasProbes(*readInput("probes")));
  EXPECT_TRUE(hasLines(*readInput("lines")));
}

TEST(BlockProfileTest, EachProbeHasTheCountOfItsInstruction) {
  const auto Object = readInput("probes");
  const CodeCounts Counts = everything(*Object, ByThreeWaves);
  for (const auto &[By, Each] :
       {std::pair(Weight::Waves, 3u), {Weight::Lanes, 5u}}) {
    const SampleProfile Profile = cantFail(probeProfile(*Object, Counts, By));
    EXPECT_THAT(Profile.functionNames(), testing::ElementsAre("branches"))
        << "the other kernel was not launched";
    const FunctionSamples *Samples = Profile.find("branches");
    ASSERT_TRUE(Samples);
    EXPECT_EQ(Samples->getHeadSamples(), Each);
    EXPECT_EQ(Samples->findSamplesAt(1, 0).get(), Each);
    EXPECT_NE(Samples->getFunctionHash(), 0u);
    EXPECT_EQ(Samples->getCallsiteSamples().size(), 1u) << "half() is inlined";
    for (const auto &[Place, Record] : Samples->getBodySamples())
      EXPECT_EQ(Record.getSamples() % Each, 0u);
  }
}

TEST(BlockProfileTest, WhatWasNotExecutedIsZero) {
  const auto Object = readInput("probes");
  CodeCounts Counts = everything(*Object, ByThreeWaves);
  const auto Probes = cantFail(probeAddresses(*Object));
  const uint64_t First =
      *llvm::lower_bound(Probes, Object->findKernel("branches")->EntryAddress);
  Counts.erase(Counts.upper_bound(First), Counts.end());
  const SampleProfile Profile =
      cantFail(probeProfile(*Object, Counts, Weight::Waves));
  const FunctionSamples *Samples = Profile.find("branches");
  ASSERT_TRUE(Samples);
  uint64_t Zeros = 0;
  for (const auto &[Place, Record] : Samples->getBodySamples())
    Zeros += Record.getSamples() == 0;
  EXPECT_GE(Zeros, 3u);
}

TEST(BlockProfileTest, LinesHaveTheCountOfTheirBusiestInstruction) {
  const auto Object = readInput("lines");
  CodeCounts Counts = everything(*Object, ByThreeWaves);
  const LineProfile Lines =
      cantFail(lineProfile(*Object, Counts, Weight::Lanes));
  const FunctionSamples *Samples = Lines.Profile.find("branches");
  ASSERT_TRUE(Samples);
  EXPECT_EQ(Samples->getHeadSamples(), 5u);
  EXPECT_GT(Samples->getBodySamples().size(), 3u);
  EXPECT_GT(Lines.Attributed, 0u);
  EXPECT_LE(Lines.Attributed, Lines.Executed);
}

uint64_t callsTo(const FunctionSamples &Samples, StringRef Name) {
  uint64_t Sum = 0;
  for (const auto &[Place, Record] : Samples.getBodySamples())
    for (const auto &[Function, Number] : Record.getCallTargets())
      Sum += Function.stringRef() == Name ? Number : 0;
  return Sum;
}

TEST(BlockProfileTest, TargetsOfCallsAreKeptWhereTheCallIs) {
  for (const char *Name : {"probes", "lines"}) {
    const auto Object = readInput(Name);
    const CodeCounts Counts = everything(*Object, ByThreeWaves);
    const FunctionInfo &Function = Object->functions().front();
    // As if every instruction called: of probes, only those that do count.
    CallTargets Calls;
    for (const auto &[Address, Count] : Counts)
      Calls[Address][Function.Address] = {2, 7};
    const bool ByProbes = StringRef(Name) == "probes";
    const SampleProfile Profile =
        ByProbes ? cantFail(probeProfile(*Object, Counts, Weight::Lanes, Calls))
                 : cantFail(lineProfile(*Object, Counts, Weight::Lanes, Calls))
                       .Profile;
    const FunctionSamples *Samples = Profile.find("branches");
    ASSERT_TRUE(Samples);
    EXPECT_GT(callsTo(*Samples, Function.Name), 0u) << Name;
    EXPECT_EQ(callsTo(*Samples, Function.Name) % 7, 0u) << Name;
  }
}

TEST(BlockProfileTest, DamagedProbesAreRefusedOrRead) {
  const auto File = inputFile("probes");
  const std::vector<uint8_t> Good(File->getBuffer().bytes_begin(),
                                  File->getBuffer().bytes_end());
  const auto Whole = cantFail(CodeObject::create(Good));
  const CodeCounts Counts = everything(*Whole, ByThreeWaves);
  std::mt19937 Random(7);
  for (const char *Name : {".pseudo_probe", ".pseudo_probe_desc"}) {
    const size_t From = Whole->section(Name)->data() - Whole->bytes().data();
    const size_t Size = Whole->section(Name)->size();
    for (int Try = 0; Try != 300; ++Try) {
      std::vector<uint8_t> Bad = Good;
      Bad[From + Random() % Size] = uint8_t(Random());
      auto Object = CodeObject::create(Bad);
      ASSERT_TRUE(bool(Object));
      // Either is fine; neither reads beyond the sections.
      if (auto Profile = probeProfile(**Object, Counts, Weight::Waves);
          !Profile)
        consumeError(Profile.takeError());
    }
  }
}

} // namespace
