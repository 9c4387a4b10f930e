// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CountingKernel.h"
#include "pgo/CounterSections.h"
#include "pgo/Problem.h"
#include "pgo/ProfileSum.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include <cstring>
#include <gmock/gmock.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<uint64_t> countsIn(StringRef Raw) {
  auto Reader = InstrProfReader::create(MemoryBuffer::getMemBufferCopy(Raw));
  if (!Reader) {
    ADD_FAILURE() << toString(Reader.takeError());
    return {};
  }
  std::vector<uint64_t> Counts;
  for (const NamedInstrProfRecord &Record : **Reader) {
    EXPECT_EQ(Record.Name, "counting");
    append_range(Counts, Record.Counts);
  }
  EXPECT_FALSE((*Reader)->hasError()) << toString((*Reader)->getError());
  return Counts;
}

/// As if section headers had been stripped.
Bytes withoutSections(Bytes Code) {
  auto *Header = reinterpret_cast<ELF::Elf64_Ehdr *>(Code.data());
  Header->e_shoff = Header->e_shnum = Header->e_shstrndx = 0;
  return Code;
}

class CountersOnEmulatorTest : public testing::TestWithParam<EngineTarget> {};

TEST_P(CountersOnEmulatorTest, CountEachLane) {
  const Bytes Code = buildCounting(GetParam());
  CountingRun Run(GetParam(), Code);
  Run.launch();
  EXPECT_THAT(countsIn(textOf(Run.rawProfile())),
              ElementsAre(Lanes, LoopTurns, Thirds));
  Run.launch();
  EXPECT_THAT(countsIn(textOf(Run.rawProfile())),
              ElementsAre(2 * Lanes, 2 * LoopTurns, 2 * Thirds));
}

TEST_P(CountersOnEmulatorTest, AreFoundWithoutSectionHeaders) {
  const Bytes Code = buildCounting(GetParam());
  auto With = pgo::findCounterSections(Code);
  const Bytes Stripped = withoutSections(Code);
  auto Without = pgo::findCounterSections(Stripped);
  ASSERT_TRUE(With && *With && Without && *Without);
  EXPECT_EQ((*With)->Counters.Begin, (*Without)->Counters.Begin);
  EXPECT_EQ((*With)->Counters.Size, (*Without)->Counters.Size);
  EXPECT_EQ((*With)->Records.Begin, (*Without)->Records.Begin);
  EXPECT_EQ((*With)->NameBytes, (*Without)->NameBytes);
  EXPECT_EQ((*Without)->Processor, GetParam().Processor);
}

INSTANTIATE_TEST_SUITE_P(Targets, CountersOnEmulatorTest,
                         testing::ValuesIn(targetsOf({"gfx90a", "gfx942",
                                                      "gfx1030", "gfx1100"})),
                         targetName);

constexpr EngineTarget Mi200 = {"gfx90a", 64};

TEST(CounterSectionsTest, CodeThatDoesNotCountHasNone) {
  auto Code = compileCpp(Mi200, "extern \"C\" [[clang::amdgpu_kernel]] void "
                                "plain() {}");
  ASSERT_TRUE(bool(Code)) << toString(Code.takeError());
  auto Sections = pgo::findCounterSections(*Code);
  ASSERT_TRUE(bool(Sections)) << toString(Sections.takeError());
  EXPECT_FALSE(*Sections);
}

TEST(CounterSectionsTest, CountersOfTheIRSayTheirVersion) {
  const Bytes Code = buildCounting(Mi200, "ir");
  auto Sections = pgo::findCounterSections(Code);
  ASSERT_TRUE(Sections && *Sections);
  EXPECT_EQ((*Sections)->Version, RawInstrProf::Version | VARIANT_MASK_IR_PROF);
  CountingRun Run(Mi200, Code);
  Run.launch();
  // The branch is a select by then. The smallest set of edges is counted.
  EXPECT_THAT(countsIn(textOf(Run.rawProfile())),
              testing::UnorderedElementsAre(LoopTurns, Lanes));
}

TEST(CounterSectionsTest, AnotherVersionIsRefused) {
  Bytes Code = buildCounting(Mi200, "ir");
  const auto Version = uint64_t(RawInstrProf::Version | VARIANT_MASK_IR_PROF);
  Bytes Was(8), New(8);
  std::memcpy(Was.data(), &Version, 8);
  const uint64_t Later = Version + 1;
  std::memcpy(New.data(), &Later, 8);
  auto At = std::search(Code.begin(), Code.end(), Was.begin(), Was.end());
  ASSERT_NE(At, Code.end());
  std::copy(New.begin(), New.end(), At);
  auto Sections = pgo::findCounterSections(Code);
  ASSERT_FALSE(bool(Sections));
  EXPECT_THAT(toString(Sections.takeError()),
              HasSubstr("profile-version: the code counts in version 11"));
}

TEST(CounterSectionsTest, DamagedBytesAreRefusedOrHaveNone) {
  const Bytes Code = buildCounting(Mi200);
  for (size_t Size = 0; Size < Code.size(); Size += 97) {
    const Bytes Cut(Code.begin(), Code.begin() + Size);
    if (auto Sections = pgo::findCounterSections(Cut); !Sections)
      EXPECT_THAT(toString(Sections.takeError()),
                  HasSubstr("malformed-profile: the code object: "));
  }
}

} // namespace
