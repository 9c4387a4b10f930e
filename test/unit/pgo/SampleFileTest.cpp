// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampleFile.h"
#include "pgo/DropFunctions.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>

using namespace llvm;
using namespace llvm::sampleprof;
using namespace luthier::pgo;
using testing::ElementsAre;

namespace {

class SampleFileTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Name;
    ASSERT_FALSE(sys::fs::createTemporaryFile("profile", "data", Name));
    Path = Name.str().str();
  }
  void TearDown() override { sys::fs::remove(Path); }

  /// With a function inlined into another, and one that was not executed.
  static SampleProfile make(PlaceKind Kind, uint64_t Times) {
    SampleProfile Profile(Kind);
    FunctionSamples &Outer = Profile.function("outer");
    Outer.setFunctionHash(Kind == PlaceKind::Probes ? 11 : 0);
    Outer.addBodySamples(1, 0, 10 * Times);
    Outer.addBodySamples(2, 0, 0);
    Outer.addHeadSamples(10 * Times);
    FunctionSamples &Inner = Profile.inlinee(Outer, {3, 0}, "inner");
    Inner.setFunctionHash(Kind == PlaceKind::Probes ? 12 : 0);
    Inner.addBodySamples(1, 0, 7 * Times);
    Profile.function("second").addBodySamples(1, 0, Times);
    Profile.function("idle").addBodySamples(1, 0, 0);
    Profile.finish();
    return Profile;
  }

  std::string Path;
};

TEST_F(SampleFileTest, WhatIsWrittenIsReadAgain) {
  for (PlaceKind Kind : {PlaceKind::Probes, PlaceKind::Lines})
    for (bool IsText : {false, true}) {
      ASSERT_FALSE(errorToBool(make(Kind, 1).write(Path, IsText)));
      Expected<SampleProfile> Read = SampleProfile::read(Path);
      ASSERT_TRUE(bool(Read));
      EXPECT_EQ(Read->kind(), Kind);
      EXPECT_THAT(Read->functionNames(), ElementsAre("outer", "second"))
          << "what was not executed is unknown, not cold";
      const FunctionSamples *Outer = Read->find("outer");
      ASSERT_TRUE(Outer);
      EXPECT_EQ(Outer->getTotalSamples(), 17u);
      EXPECT_EQ(Outer->getHeadSamples(), 10u);
      EXPECT_EQ(Outer->findSamplesAt(2, 0).get(), 0u)
          << "a place that was not executed is known";
      ASSERT_TRUE(Outer->findFunctionSamplesMapAt({3, 0}));
    }
}

TEST_F(SampleFileTest, ProfilesAddUp) {
  SampleProfile Sum = make(PlaceKind::Probes, 1);
  ASSERT_FALSE(errorToBool(Sum.merge(make(PlaceKind::Probes, 4))));
  EXPECT_EQ(Sum.find("outer")->findSamplesAt(1, 0).get(), 50u);
  EXPECT_EQ(Sum.find("second")->getTotalSamples(), 5u);
}

TEST_F(SampleFileTest, ProfilesOfAnotherKindOrOtherSourceAreRefused) {
  SampleProfile Probes = make(PlaceKind::Probes, 1);
  EXPECT_TRUE(errorToBool(Probes.merge(make(PlaceKind::Lines, 1))));
  SampleProfile Changed(PlaceKind::Probes);
  Changed.function("outer").setFunctionHash(99);
  Changed.function("outer").addBodySamples(1, 0, 1);
  Changed.finish();
  const std::string Why = toString(Probes.merge(std::move(Changed)));
  EXPECT_NE(Why.find("different source: outer"), std::string::npos) << Why;
}

TEST_F(SampleFileTest, WhatIsDroppedIsGoneWhereItWasInlined) {
  ASSERT_FALSE(
      errorToBool(make(PlaceKind::Lines, 1).write(Path, /*IsText=*/false)));
  auto Dropped = dropFunctions(Path, {"inner"});
  ASSERT_TRUE(bool(Dropped));
  EXPECT_THAT(*Dropped, ElementsAre("inner"));
  Expected<SampleProfile> Left = SampleProfile::read(Path);
  ASSERT_TRUE(bool(Left));
  EXPECT_THAT(Left->functionNames(), ElementsAre("outer", "second"));
  EXPECT_EQ(Left->find("outer")->getTotalSamples(), 10u);
  for (const auto &[Place, Inlined] : Left->find("outer")->getCallsiteSamples())
    EXPECT_TRUE(Inlined.empty());
}

TEST_F(SampleFileTest, NothingIsAddedOfAProfileOfOtherSource) {
  SampleProfile Sum = make(PlaceKind::Probes, 1);
  SampleProfile Other(PlaceKind::Probes);
  Other.function("second").addBodySamples(1, 0, 5);
  FunctionSamples &Outer = Other.function("outer");
  Outer.setFunctionHash(11);
  FunctionSamples &Inner = Other.inlinee(Outer, {3, 0}, "inner");
  Inner.setFunctionHash(99);
  Inner.addBodySamples(1, 0, 1);
  Other.finish();
  const std::string Why = toString(Sum.merge(std::move(Other)));
  EXPECT_NE(Why.find("different source: outer"), std::string::npos) << Why;
  EXPECT_EQ(Sum.find("second")->getTotalSamples(), 1u);
}

TEST_F(SampleFileTest, ASumThatDoesNotFitIsTheLargestNumberAndIsTold) {
  SampleProfile Sum = make(PlaceKind::Lines, uint64_t(1) << 60);
  ASSERT_FALSE(
      errorToBool(Sum.merge(make(PlaceKind::Lines, uint64_t(1) << 60))));
  EXPECT_EQ(Sum.find("outer")->findSamplesAt(1, 0).get(), UINT64_MAX);
  EXPECT_THAT(Sum.overflown(), ElementsAre("outer"));
  EXPECT_EQ(Sum.find("second")->findSamplesAt(1, 0).get(), uint64_t(2) << 60);
}

TEST_F(SampleFileTest, AFileThatCannotBeWrittenStaysAsItWas) {
  ASSERT_FALSE(
      errorToBool(make(PlaceKind::Probes, 1).write(Path, /*IsText=*/true)));
  // As on a disk that is full.
  rlimit Before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &Before), 0);
  const rlimit Small = {1, Before.rlim_max};
  const auto Handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Small), 0);
  const std::string Why =
      toString(make(PlaceKind::Probes, 2).write(Path, /*IsText=*/true));
  ::setrlimit(RLIMIT_FSIZE, &Before);
  std::signal(SIGXFSZ, Handler);
  EXPECT_NE(Why.find("failure: cannot write "), std::string::npos) << Why;
  EXPECT_EQ(
      cantFail(SampleProfile::read(Path)).find("second")->getTotalSamples(),
      1u);
}

TEST_F(SampleFileTest, AFullDeviceIsAFailure) {
  for (bool IsText : {false, true}) {
    const std::string Why =
        toString(make(PlaceKind::Probes, 1).write("/dev/full", IsText));
    EXPECT_NE(Why.find("failure: cannot write /dev/full: "), std::string::npos)
        << Why;
  }
}

TEST_F(SampleFileTest, LinksLeadToWhatIsReplaced) {
  const std::string Link = Path + ".link";
  ASSERT_FALSE(sys::fs::create_link(Path, Link));
  ASSERT_FALSE(
      errorToBool(make(PlaceKind::Probes, 1).write(Link, /*IsText=*/true)));
  EXPECT_TRUE(sys::fs::is_symlink_file(Link));
  EXPECT_TRUE(bool(SampleProfile::read(Path)));
  sys::fs::remove(Link);
}

TEST_F(SampleFileTest, FunctionsAreDroppedFromSamples) {
  ASSERT_FALSE(
      errorToBool(make(PlaceKind::Probes, 1).write(Path, /*IsText=*/false)));
  EXPECT_THAT(cantFail(dropFunctions(Path, {"outer", "unknown"})),
              ElementsAre("outer"));
  EXPECT_THAT(cantFail(SampleProfile::read(Path)).functionNames(),
              ElementsAre("second"));
  EXPECT_THAT(cantFail(dropFunctions(Path, {"outer"})), ElementsAre());
}

TEST_F(SampleFileTest, FunctionsAreDroppedFromCounters) {
  InstrProfWriter Writer;
  cantFail(Writer.mergeProfileKind(InstrProfKind::FrontendInstrumentation));
  for (const char *Name : {"a.cpp;local", "kept", "lost"})
    Writer.addRecord({Name, /*Hash=*/5, {1, 2, 3}},
                     [](Error E) { FAIL() << toString(std::move(E)); });
  std::error_code Wrong;
  {
    raw_fd_ostream OS(Path, Wrong);
    ASSERT_FALSE(errorToBool(Writer.write(OS)));
  }
  EXPECT_THAT(cantFail(dropFunctions(Path, {"local", "lost"})),
              testing::UnorderedElementsAre("a.cpp;local", "lost"));
  auto Reader =
      cantFail(IndexedInstrProfReader::create(Path, *vfs::getRealFileSystem()));
  EXPECT_FALSE(Reader->isIRLevelProfile());
  std::vector<std::string> Left;
  for (const NamedInstrProfRecord &Record : *Reader) {
    Left.push_back(Record.Name.str());
    EXPECT_THAT(Record.Counts, ElementsAre(1, 2, 3));
  }
  EXPECT_THAT(Left, ElementsAre("kept"));
}

TEST_F(SampleFileTest, WhatIsNoProfileIsRefusedAndLeftAlone) {
  {
    std::error_code Wrong;
    raw_fd_ostream OS(Path, Wrong);
    OS << "\x01no profile";
  }
  EXPECT_TRUE(errorToBool(dropFunctions(Path, {"a"}).takeError()));
  EXPECT_TRUE(errorToBool(SampleProfile::read(Path).takeError()));
  EXPECT_TRUE(errorToBool(dropFunctions(Path + ".none", {"a"}).takeError()));
  uint64_t Size = 0;
  ASSERT_FALSE(sys::fs::file_size(Path, Size));
  EXPECT_EQ(Size, 11u);
}

} // namespace
