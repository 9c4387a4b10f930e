// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that kernels record of themselves: called functions and sizes.
#include "CountingKernel.h"
#include "pgo/ProfileSum.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include <cstring>
#include <gmock/gmock.h>
#include <map>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

/// Does what the counting kernel does, through pointers. Each third lane calls
/// another function; of one of the three, there is no record. Words are copied
/// without a byte that is zero if lanes are odd.
constexpr char Source[] = R"(
#define FUNCTION [[gnu::noinline]] unsigned
extern "C" {
FUNCTION addThousand(unsigned Sum) { return Sum + 1000; }
FUNCTION keep(unsigned Sum) { return Sum; }
[[gnu::no_profile_instrument_function]] FUNCTION keepUnknown(unsigned Sum) {
  return Sum ^ 0;
}
}
unsigned (*Functions[])(unsigned) = {addThousand, keep, keepUnknown};

extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
counting(unsigned *Out) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 100 +
               __builtin_amdgcn_workitem_id_x();
  unsigned Sum = 0;
  for (unsigned Turn = 0; Turn < I % 7; ++Turn)
    Sum += Out[I] + Turn;
  Sum = Functions[I % 3](Sum);
  __builtin_memcpy(Out + 1000 + I, &Sum, 4 - I % 2);
}
)";

using Values = std::vector<std::pair<uint64_t, uint64_t>>;

/// Of the kernel's only place of that kind.
Values valuesIn(StringRef Profile, InstrProfValueKind Kind) {
  Values Result;
  auto Reader =
      InstrProfReader::create(MemoryBuffer::getMemBufferCopy(Profile));
  if (!Reader) {
    ADD_FAILURE() << toString(Reader.takeError());
    return Result;
  }
  for (const NamedInstrProfRecord &Record : **Reader) {
    EXPECT_EQ(Record.getNumValueSites(Kind), Record.Name == "counting" ? 1u : 0)
        << Record.Name.str();
    if (Record.getNumValueSites(Kind))
      for (const InstrProfValueData &Value :
           Record.getValueArrayForSite(Kind, 0))
        Result.emplace_back(Value.Value, Value.Count);
  }
  EXPECT_FALSE((*Reader)->hasError()) << toString((*Reader)->getError());
  return Result;
}

uint64_t hashOf(StringRef Function) {
  return IndexedInstrProf::ComputeHash(Function);
}

constexpr uint64_t OtherThirds = 333, Unknown = 0;

class ProfiledValuesOnTargets : public testing::TestWithParam<EngineTarget> {};

TEST_P(ProfiledValuesOnTargets, FunctionsAndSizesAreCountedByLanes) {
  const Bytes Code = buildCounting(Source, GetParam(), "ir");
  CountingRun Run(GetParam(), Code);
  EXPECT_THAT(valuesIn(textOf(Run.rawProfile()), IPVK_IndirectCallTarget),
              IsEmpty());
  for (const uint64_t Launches : {1, 2}) {
    Run.launch();
    const Bytes Raw = Run.rawProfile();
    EXPECT_THAT(
        valuesIn(textOf(Raw), IPVK_IndirectCallTarget),
        UnorderedElementsAre(Pair(hashOf("addThousand"), Launches * Thirds),
                             Pair(hashOf("keep"), Launches * OtherThirds),
                             Pair(Unknown, Launches * OtherThirds)));
    EXPECT_THAT(valuesIn(textOf(Raw), IPVK_MemOPSize),
                UnorderedElementsAre(Pair(3, Launches * Lanes / 2),
                                     Pair(4, Launches * Lanes / 2)));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ProfiledValuesOnTargets,
                         testing::ValuesIn(targetsOf({"gfx90a", "gfx942",
                                                      "gfx1030", "gfx1100"})),
                         targetName);

constexpr EngineTarget Mi200 = {"gfx90a", 64};

TEST(ProfiledValuesTest, WhatTheTableHasNoRoomForIsCountedAsUnknown) {
  const Bytes Code = buildCounting(Source, Mi200, "ir");
  CountingRun Run(Mi200, Code);
  Run.launch();
  auto Sections = pgo::findCounterSections(Code);
  ASSERT_TRUE(Sections && *Sections);
  const pgo::AddressRange Table = (*Sections)->Values;
  // All entries get the key of a place that does not exist.
  Bytes Entries(Table.Size);
  ASSERT_FALSE(bool(Run.read(Table.Begin, Entries)));
  constexpr uint64_t EntrySize = 16, Key = 1;
  for (size_t At = EntrySize; At != Entries.size(); At += EntrySize)
    std::memcpy(&Entries[At], &Key, sizeof(Key));
  Run.write(Table.Begin, Entries);
  Run.launch();
  const Bytes Raw = Run.rawProfile();
  EXPECT_THAT(valuesIn(textOf(Raw), IPVK_IndirectCallTarget),
              ElementsAre(Pair(Unknown, Lanes)));
  EXPECT_THAT(valuesIn(textOf(Raw), IPVK_MemOPSize),
              ElementsAre(Pair(Unknown, Lanes)));
}

TEST(ProfiledValuesTest, SumsHaveThem) {
  const Bytes Code = buildCounting(Source, Mi200, "ir");
  pgo::ProfileSum Sum;
  for (int Load = 0; Load != 2; ++Load) {
    CountingRun Run(Mi200, Code);
    Run.launch();
    ASSERT_FALSE(bool(Sum.add(textOf(Run.rawProfile()), "raw")));
  }
  const std::string Path = testing::TempDir() + "/values.profdata";
  ASSERT_FALSE(bool(Sum.write(Path)));
  auto File = MemoryBuffer::getFile(Path);
  ASSERT_TRUE(bool(File));
  EXPECT_THAT(valuesIn((*File)->getBuffer(), IPVK_IndirectCallTarget),
              UnorderedElementsAre(Pair(hashOf("addThousand"), 2 * Thirds),
                                   Pair(hashOf("keep"), 2 * OtherThirds),
                                   Pair(Unknown, 2 * OtherThirds)));
}

} // namespace
