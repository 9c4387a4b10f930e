// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Collection.h"
#include "CountingKernel.h"
#include "pgo/ProfileSum.h"
#include "pgo/RawProfile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr EngineTarget Mi200 = {"gfx90a", 64};
using Words = std::vector<uint64_t>;

ProcessNote note(std::string Program, std::string Ended) {
  ProcessNote Note;
  Note.Process = 12;
  Note.Program = std::move(Program);
  Note.Ended = std::move(Ended);
  return Note;
}

/// The profile that \p Counts make, in order.
Bytes rawWith(Words Counts, StringRef Route = "counters") {
  static std::map<std::string, Bytes> Codes;
  Bytes &Code = Codes[Route.str()];
  if (Code.empty())
    Code = buildCounting(Mi200, Route);
  auto Sections = findCounterSections(Code);
  auto Raw = makeRawProfile(**Sections, [&](uint64_t, auto To) {
    for (size_t I = 0; I != To.size() / 8; ++I)
      support::endian::write64le(To.data() + 8 * I,
                                 I < Counts.size() ? Counts[I] : 0);
    return Error::success();
  });
  return *Raw;
}

/// In a folder of its own, as processes leave it.
class CollectionTest : public testing::Test {
protected:
  CollectionTest() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("luthier-collection", Folder));
  }
  ~CollectionTest() override { sys::fs::remove_directories(Folder); }

  void leave(const Bytes &Raw, StringRef Target = "gfx90a") {
    std::string Name;
    Error E = CollectFolder(Folder.str().str()).writeProfile(Target, Raw, Name);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
  }
  void leave(const ProcessNote &Note) {
    Error E = CollectFolder(Folder.str().str()).writeNote(Note);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
  }
  std::string path(StringRef Name) { return (Folder + "/" + Name).str(); }
  Expected<Collection> collect(bool Add = false, bool AcceptPartial = false) {
    auto Found = readCollectFolder(Folder);
    if (!Found)
      return Found.takeError();
    Found->Uncounted = Uncounted;
    SampledCode Sampled;
    Sampled.Missing = Missing;
    for (const auto &[Target, Marks] : Samples)
      Sampled.Profiles.try_emplace({Target, Marks}, SampleProfile(Marks));
    return writeCollection(*Found, std::move(Sampled),
                           {path("out.profdata"), Add, AcceptPartial});
  }
  std::string failure() {
    auto Result = collect();
    return Result ? "no error" : toString(Result.takeError());
  }
  Words countsOf(StringRef Name) {
    auto Reader =
        InstrProfReader::create(path(Name), *vfs::getRealFileSystem());
    if (!Reader) {
      ADD_FAILURE() << toString(Reader.takeError());
      return {};
    }
    Words Counts;
    for (const NamedInstrProfRecord &Record : **Reader)
      append_range(Counts, Record.Counts);
    return Counts;
  }

  SmallString<64> Folder;
  std::vector<std::pair<std::string, PlaceKind>> Samples; ///< Empty profiles.
  std::vector<std::string> Missing, Uncounted;
};

TEST_F(CollectionTest, LoadsOfATargetAreAddedUp) {
  leave(rawWith({1, 2, 3}));
  leave(rawWith({10, 20, 30}));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_FALSE(Result->IsPartial);
  ASSERT_EQ(Result->Profiles.size(), 1u);
  EXPECT_EQ(Result->Profiles[0].NumLoads, 2u);
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(11, 22, 33));
  EXPECT_THAT(*targetsOf(path("out.profdata")), ElementsAre("gfx90a"));
}

TEST_F(CollectionTest, TargetsHaveProfilesOfTheirOwn) {
  leave(rawWith({1, 2, 3}));
  leave(rawWith({10, 20, 30}), "gfx1030");
  ASSERT_TRUE(bool(collect()));
  EXPECT_THAT(countsOf("out.gfx90a.profdata"), ElementsAre(1, 2, 3));
  EXPECT_THAT(countsOf("out.gfx1030.profdata"), ElementsAre(10, 20, 30));
}

TEST_F(CollectionTest, RunsAreAddedWhereThatIsAskedFor) {
  leave(rawWith({1, 2, 3}));
  ASSERT_TRUE(bool(collect()));
  ASSERT_TRUE(bool(collect(/*Add=*/true)));
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(2, 4, 6));
  ASSERT_TRUE(bool(collect()));
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(1, 2, 3));
}

TEST_F(CollectionTest, RunsThatEndAtTheSameTimeAreAllAdded) {
  constexpr unsigned Processes = 4, Times = 25;
  leave(rawWith({1, 2, 3}));
  std::vector<pid_t> Ranks;
  for (unsigned N = 0; N != Processes; ++N)
    if (const pid_t Rank = ::fork())
      Ranks.push_back(Rank);
    else {
      bool IsRight = true;
      for (unsigned I = 0; I != Times; ++I)
        IsRight &= !errorToBool(collect(/*Add=*/true).takeError());
      ::_exit(IsRight ? 0 : 1);
    }
  for (const pid_t Rank : Ranks) {
    int Status = -1;
    ASSERT_EQ(::waitpid(Rank, &Status, 0), Rank);
    EXPECT_EQ(Status, 0);
  }
  constexpr uint64_t Runs = Processes * Times;
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(Runs, 2 * Runs, 3 * Runs));
}

TEST_F(CollectionTest, NothingCountedIsSaid) {
  EXPECT_THAT(failure(), HasSubstr("no-counters: no code that counts"));
}

TEST_F(CollectionTest, LaterCountersTakeThePlaceOfEarlierOnes) {
  CollectFolder Of(Folder.str().str());
  std::string First, Second;
  ASSERT_FALSE(
      errorToBool(Of.writeProfile("gfx90a", rawWith({1, 2, 3}), First)));
  ASSERT_FALSE(
      errorToBool(Of.writeProfile("gfx90a", rawWith({4, 5, 6}), First)));
  ASSERT_FALSE(
      errorToBool(Of.writeProfile("gfx90a", rawWith({1, 1, 1}), Second)));
  leave(note("app", "exit"));
  ASSERT_TRUE(bool(collect()));
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(5, 6, 7));
}

TEST_F(CollectionTest, AFileThatAKilledProcessHasOnlyNamedIsPassedOver) {
  leave(Bytes());
  leave(rawWith({1, 2, 3}));
  leave(note("app", ""));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_THAT(countsOf("out.partial.profdata"), ElementsAre(1, 2, 3));
}

TEST_F(CollectionTest, AKilledProcessMakesItPartial) {
  leave(rawWith({1, 2, 3}));
  leave(note("app", ""));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_TRUE(Result->IsPartial);
  EXPECT_THAT(
      Result->Warnings,
      ElementsAre("partial-profile: process 12 (app) was killed; what it "
                  "counted is that of some time before, or lost"));
  EXPECT_THAT(countsOf("out.partial.profdata"), ElementsAre(1, 2, 3));
  EXPECT_FALSE(sys::fs::exists(path("out.profdata")));
  ASSERT_TRUE(bool(collect(/*Add=*/false, /*AcceptPartial=*/true)));
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(1, 2, 3));
}

TEST_F(CollectionTest, PartialOnesAreAddedToPartialOnes) {
  leave(rawWith({1, 2, 3}));
  ASSERT_TRUE(bool(collect()));
  leave(note("app", ""));
  ASSERT_TRUE(bool(collect(/*Add=*/true)));
  ASSERT_TRUE(bool(collect(/*Add=*/true)));
  EXPECT_THAT(countsOf("out.profdata"), ElementsAre(1, 2, 3));
  EXPECT_THAT(countsOf("out.partial.profdata"), ElementsAre(2, 4, 6));
  ASSERT_TRUE(bool(collect()));
  EXPECT_THAT(countsOf("out.partial.profdata"), ElementsAre(1, 2, 3));
}

TEST_F(CollectionTest, KernelsThatWereNotCountedMakeItPartial) {
  Uncounted = {"counts of k are missing", "counts of j are missing"};
  EXPECT_THAT(failure(), HasSubstr("partial-profile: counts of k are missing"));
  leave(rawWith({1, 2, 3}));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_TRUE(Result->IsPartial);
  EXPECT_THAT(Result->Warnings,
              ElementsAre("partial-profile: counts of k are missing",
                          "partial-profile: counts of j are missing"));
  EXPECT_TRUE(sys::fs::exists(path("out.partial.profdata")));
  EXPECT_FALSE(sys::fs::exists(path("out.profdata")));
}

TEST_F(CollectionTest, WhatAProcessSaysOfItselfIsReadBack) {
  ProcessNote Note = note("a b", "exit");
  Note.Unfinished = 2;
  Note.Releases = 3;
  Note.Failed = "no room";
  EXPECT_EQ(ProcessNote::parse(Note.text()).text(), Note.text());
  EXPECT_EQ(ProcessNote::parse(Note.text()).Releases, 3u);
}

TEST_F(CollectionTest, UnfinishedLaunchesAndSignalsMakeItPartial) {
  ProcessNote Note = note("app", "exit");
  EXPECT_EQ(Note.whyPartial(), "");
  Note.Unfinished = 2;
  EXPECT_EQ(Note.whyPartial(),
            "process 12 (app) ended by exit while 2 launches ran");
  Note = ProcessNote::parse(note("a b", "SIGTERM").text());
  EXPECT_EQ(Note.whyPartial(), "process 12 (a b) ended by SIGTERM");
}

TEST_F(CollectionTest, RoutesHaveProfilesOfTheirOwn) {
  leave(rawWith({1, 2, 3}));
  leave(rawWith({4, 5, 6}, "ir"));
  Samples = {{"gfx90a", PlaceKind::Probes}, {"gfx90a", PlaceKind::Lines}};
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  std::vector<std::string> Paths, Routes;
  for (const WrittenProfile &Profile : Result->Profiles) {
    Paths.push_back(Profile.Path);
    Routes.push_back(Profile.Route);
  }
  EXPECT_THAT(Routes, ElementsAre("counters", "ir", "lines", "probes"));
  EXPECT_THAT(Paths,
              ElementsAre(path("out.counters.profdata"),
                          path("out.ir.profdata"), path("out.lines.profdata"),
                          path("out.probes.profdata")));
  EXPECT_THAT(countsOf("out.counters.profdata"), ElementsAre(1, 2, 3));
}

TEST_F(CollectionTest, TargetsAndRoutesAreBothInTheName) {
  leave(rawWith({1, 2, 3}));
  Samples = {{"gfx1030", PlaceKind::Probes}};
  ASSERT_TRUE(bool(collect()));
  EXPECT_TRUE(sys::fs::exists(path("out.gfx90a.counters.profdata")));
  EXPECT_TRUE(sys::fs::exists(path("out.gfx1030.probes.profdata")));
}

TEST_F(CollectionTest, CountersAreNotAddedToThoseOfAnotherRoute) {
  leave(rawWith({1, 2, 3}));
  ASSERT_TRUE(bool(collect()));
  const auto Before = countsOf("out.profdata");
  std::error_code Failure;
  for (sys::fs::directory_iterator I(Folder, Failure), End; I != End;
       I.increment(Failure))
    if (StringRef(I->path()).ends_with(".profraw"))
      sys::fs::remove(I->path());
  leave(rawWith({4, 5, 6}, "ir"));
  auto Result = collect(/*Add=*/true);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_TRUE(Result->IsApart);
  EXPECT_THAT(Result->Warnings, ElementsAre(HasSubstr("mixed-build: ")));
  EXPECT_EQ(countsOf("out.profdata"), Before);
  EXPECT_THAT(countsOf("out.new.profdata"), ElementsAre(4, 5));
}

TEST_F(CollectionTest, WhatCannotBeAddedIsKeptBesideADamagedProfile) {
  leave(rawWith({1, 2, 3}));
  {
    std::error_code Failure;
    raw_fd_ostream(path("out.profdata"), Failure) << "no profile";
  }
  auto Result = collect(/*Add=*/true);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_TRUE(Result->IsApart);
  EXPECT_THAT(Result->Warnings,
              ElementsAre(testing::AllOf(
                  testing::StartsWith("malformed-profile: "),
                  HasSubstr("; what this run counted is not added to it"))));
  EXPECT_THAT(countsOf("out.new.profdata"), ElementsAre(1, 2, 3));
  EXPECT_EQ(Result->Profiles[0].Path, path("out.new.profdata"));
}

TEST_F(CollectionTest, EachRunThatCannotBeAddedHasAFileOfItsOwn) {
  {
    std::error_code Failure;
    raw_fd_ostream(path("out.profdata"), Failure) << "no profile";
  }
  leave(rawWith({1, 2, 3}));
  ASSERT_TRUE(bool(collect(/*Add=*/true)));
  leave(rawWith({10, 20, 30}));
  auto Result = collect(/*Add=*/true);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_THAT(countsOf("out.new.profdata"), ElementsAre(1, 2, 3));
  EXPECT_THAT(countsOf("out.new-2.profdata"), ElementsAre(11, 22, 33));
  EXPECT_EQ(Result->Profiles[0].Path, path("out.new-2.profdata"));
}

TEST_F(CollectionTest, OneThatCannotBeWrittenKeepsNoOtherFromIt) {
  leave(rawWith({1, 2, 3}), "gfx1030");
  leave(rawWith({4, 5, 6}));
  ASSERT_FALSE(sys::fs::create_directory(path("out.gfx1030.profdata")));
  Missing = {"the code of k has no counters"};
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_TRUE(Result->IsUnwritten);
  EXPECT_THAT(Result->Warnings,
              ElementsAre("no-marks: the code of k has no counters",
                          HasSubstr("out.gfx1030.profdata: Is a directory")));
  EXPECT_THAT(countsOf("out.gfx90a.profdata"), ElementsAre(4, 5, 6));
  ASSERT_EQ(Result->Profiles.size(), 1u);
}

TEST_F(CollectionTest, WhatCodeLacksIsSaid) {
  Missing = {"the code of k has no counters"};
  EXPECT_THAT(failure(), HasSubstr("no-marks: the code of k has no counters"));
  leave(rawWith({1, 2, 3}));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_THAT(Result->Warnings,
              ElementsAre("no-marks: the code of k has no counters"));
}

TEST_F(CollectionTest, ATruncatedProfileIsRefused) {
  Bytes Raw = rawWith({1, 2, 3});
  Raw.resize(Raw.size() - 40);
  leave(Raw);
  EXPECT_THAT(failure(), HasSubstr("malformed-profile: "));
}

TEST_F(CollectionTest, AProfileOfAnotherVersionIsRefused) {
  Bytes Raw = rawWith({1, 2, 3});
  ++Raw[8];
  leave(Raw);
  EXPECT_THAT(failure(), HasSubstr("profile-version: "));
}

TEST_F(CollectionTest, ACounterThatOverflowsIsSaid) {
  leave(rawWith({uint64_t(1) << 63, 2, 3}));
  leave(rawWith({uint64_t(1) << 63, 2, 3}));
  auto Result = collect();
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_THAT(Result->Warnings,
              ElementsAre("counter-overflow: counting has reached a counter's "
                          "largest number"));
  EXPECT_THAT(countsOf("out.profdata"),
              ElementsAre(getInstrMaxCountValue(), 4, 6));
}

} // namespace
