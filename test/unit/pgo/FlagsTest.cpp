// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Flags.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier::pgo;
using testing::HasSubstr;

namespace {

template <class T> std::string messageOf(Expected<T> Value) {
  return Value ? "no error" : toString(Value.takeError());
}

TEST(FlagsTest, CompilersAreToldByTheirVersion) {
  EXPECT_EQ(*clangMajor("Debian clang version 22.1.8 (1~deb12u1)\n", "c"), 22u);
  // Of hipcc, which has a line of its own before.
  EXPECT_EQ(*clangMajor("HIP version: 5.2\nclang version 15.0.6\n", "c"), 15u);
  EXPECT_THAT(messageOf(clangMajor("gcc (Debian) 12.2.0", "gcc")),
              HasSubstr("compiler: gcc is no clang"));
  EXPECT_THAT(messageOf(clangMajor("clang version x", "c")),
              HasSubstr("says no number"));
}

TEST(FlagsTest, BranchesThatAreNoReleaseAreRefusedUnlessThatIsWished) {
  for (StringRef Text :
       {"AMD clang version 22.0.0git (https://github.com/ROCm/llvm-project "
        "roc-7.2.0 25385)",
        "AMD clang version 22.1.0 (roc-7.3)", "clang version 22.0.0git",
        "Debian clang version 22.0.0 (++20250801)",
        "clang version 22.1.0-rc2"}) {
    EXPECT_THAT(messageOf(clangMajor(Text, "c")),
                HasSubstr(") is no release of LLVM's clang"))
        << Text.str();
    EXPECT_EQ(*clangMajor(Text, "c", /*AcceptsOtherBranches=*/true), 22u);
  }
  EXPECT_EQ(*clangMajor("clang version 22.1.0", "c"), 22u);
  EXPECT_EQ(*clangMajor("clang version 17.0.6 (Fedora)\n", "c"), 17u);
}

TEST(FlagsTest, OtherCompilersAreRefused) {
  EXPECT_THAT(messageOf(findRoute("counters", 15)),
              HasSubstr("compiler: the flags of clang 15 are not known"));
  EXPECT_THAT(messageOf(findRoute("counters", 23)),
              HasSubstr("compiler: the flags of clang 23 are not known"));
  EXPECT_THAT(messageOf(findRoute("nothing", 22)),
              HasSubstr("choose one of: counters, coverage, mcdc, ir, cs"));
}

TEST(FlagsTest, EveryBuildThatChangesCodeAvoidsControlHeightReduction) {
  for (const Route &R : routesOf(22)) {
    auto Use = expand(R.Use, {"p", "libraries"});
    ASSERT_TRUE(bool(Use));
    EXPECT_TRUE(is_contained(*Use, "-mllvm=-enable-chr=false")) << R.Name.str();
  }
}

TEST(FlagsTest, CountersAreAtomic) {
  for (StringRef Name : {"counters", "coverage", "mcdc", "ir", "cs"}) {
    auto Words = expand((*findRoute(Name, 22))->Collect, {"p", "", "h"});
    ASSERT_TRUE(bool(Words));
    EXPECT_TRUE(
        is_contained(*Words, "-fprofile-update=atomic") ||
        is_contained(*Words, "-mllvm=-instrprof-atomic-counter-update-all"))
        << Name.str();
  }
}

TEST(FlagsTest, CountersAvoidTheStructurizersError) {
  for (StringRef Name : {"counters", "coverage", "mcdc", "ir"}) {
    const Route &Its = **findRoute(Name, 22);
    EXPECT_TRUE(is_contained(*expand(Its.Collect, {"p", "", "h"}),
                             "-mllvm=-enable-pre=false"));
    EXPECT_FALSE(
        is_contained(*expand(Its.Use, {"p", ""}), "-mllvm=-enable-pre=false"))
        << "what is shipped keeps the optimisation";
  }
}

TEST(FlagsTest, BuildsWithProbesAvoidTheStructurizersError) {
  const Route &Probes = **findRoute("probes", 22),
              &Lines = **findRoute("lines", 22);
  for (const Route *Its : {&Probes, &Lines})
    for (const auto &Flags : {Its->Collect, Its->Use})
      EXPECT_EQ(is_contained(*expand(Flags, {"p", "libraries"}),
                             "-mllvm=-enable-pre=false"),
                Its == &Probes)
          << "lines leave code as it is";
}

TEST(FlagsTest, UnitsThatAreLinkedHaveTheirCountersFromTheLinker) {
  const auto flagsFor = [](StringRef Name, Build Which, bool LinksUnits) {
    const FlagFiles Files = {"p", "libraries", "h", "/l.rsp"};
    return cantFail(
        expand(flagsOf(**findRoute(Name, 22), Which, LinksUnits), Files));
  };
  constexpr StringLiteral Late = "-Wp,-mllvm,-opt-disable=instrprof",
                          Atomic =
                              "-mllvm=-instrprof-atomic-counter-update-all",
                          NoCalls = "-mllvm=-opt-disable=cg-profile";
  for (const Route &R : routesOf(22)) {
    const bool Counts = R.Name != "probes" && R.Name != "lines";
    const auto Collect = flagsFor(R.Name, Build::Collect, true);
    EXPECT_EQ(is_contained(Collect, Late), Counts) << R.Name.str();
    EXPECT_EQ(is_contained(Collect, "@/l.rsp"), Counts) << R.Name.str();
    // Once is enough.
    EXPECT_EQ(count(Collect, Atomic), Counts) << R.Name.str();
    EXPECT_EQ(is_contained(Collect, NoCalls), R.IsSecondRound) << R.Name.str();
    EXPECT_TRUE(is_contained(flagsFor(R.Name, Build::Use, true), NoCalls))
        << R.Name.str();
    for (Build Which : {Build::Collect, Build::Use}) {
      const auto Usual = flagsFor(R.Name, Which, false);
      EXPECT_FALSE(is_contained(Usual, Late) || is_contained(Usual, NoCalls))
          << R.Name.str();
    }
  }
  EXPECT_THAT(
      messageOf(expand(
          flagsOf(**findRoute("counters", 22), Build::Collect, true), {})),
      HasSubstr("LinkedCounters.rsp is missing"));
}

TEST(FlagsTest, FilesTakeTheirPlaces) {
  auto Words = expand((*findRoute("probes", 22))->Use, {"a b.prof", "/libs"});
  ASSERT_TRUE(bool(Words));
  EXPECT_TRUE(is_contained(*Words, "-fprofile-sample-use=a b.prof"));
  EXPECT_TRUE(is_contained(*Words, "--rocm-device-lib-path=/libs"));
  EXPECT_THAT(messageOf(expand((*findRoute("probes", 22))->Use, {"p", ""})),
              HasSubstr("no device libraries for profiles of samples"));
  EXPECT_THAT(messageOf(expand((*findRoute("cs", 22))->Collect, {})),
              HasSubstr("a profile is needed"));
  EXPECT_TRUE(is_contained(
      *expand((*findRoute("ir", 22))->Collect, {"", "", "/a b/values.h"}),
      "-include/a b/values.h"));
  EXPECT_THAT(messageOf(expand((*findRoute("ir", 22))->Collect, {})),
              HasSubstr("ProfiledValues.h is missing"));
}

} // namespace
