// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DispatchFilter.h"
#include "runtime/KernelAccess.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace luthier;
using namespace luthier::runtime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr const char *Scale = "_Z5scalePfj", *Sum = "_ZN4math3sumEPf";

class DispatchFilterTest : public testing::Test {
protected:
  void setUp(const std::map<std::string, std::string> &Options,
             const std::vector<std::string> &Names = {"app", "link"}) {
    FilterSettings Settings;
    for (const auto &[Name, Value] : Options)
      EXPECT_EQ(Settings.set(Name, Value), "") << Name << " " << Value;
    Filter = std::make_unique<DispatchFilter>(
        Settings, [](hsa_agent_t Agent) { return unsigned(Agent.handle); },
        Names);
  }

  bool admits(const char *Name, unsigned Device = 0) {
    const KernelInfo Info = {
        .Name = Name,
        .Descriptor = KernelDescriptor(llvm::amdhsa::kernel_descriptor_t()),
        .Metadata = {}};
    return Filter->admits(KernelAccess::make(nullptr, Info, {Device}, 0));
  }

  /// Which of \p Count launches of a kernel are admitted, from 1 on.
  std::vector<int> admitted(int Count, const char *Name = Scale,
                            unsigned Device = 0) {
    std::vector<int> Result;
    for (int Launch = 1; Launch <= Count; ++Launch)
      if (admits(Name, Device))
        Result.push_back(Launch);
    return Result;
  }

  std::unique_ptr<DispatchFilter> Filter;
};

TEST_F(DispatchFilterTest, AdmitsAllWithoutSettings) {
  setUp({});
  EXPECT_THAT(admitted(3), ElementsAre(1, 2, 3));
  EXPECT_EQ(Filter->complaint(), "");
}

TEST_F(DispatchFilterTest, NamesMatchMangledAndReadable) {
  for (const char *Pattern :
       {"_Z5scale", "^scale", R"(scale\(float\*, )", "scale|nothing"}) {
    setUp({{"--kernel", Pattern}});
    EXPECT_TRUE(admits(Scale)) << Pattern;
    EXPECT_FALSE(admits(Sum)) << Pattern;
  }
  setUp({{"--kernel", "^math::sum"}});
  EXPECT_TRUE(admits(Sum));
}

TEST_F(DispatchFilterTest, LaunchesAreCountedForEachKernel) {
  setUp({{"--launches", "2,4-5,8-"}});
  EXPECT_THAT(admitted(9), ElementsAre(2, 4, 5, 8, 9));
  EXPECT_THAT(admitted(3, Sum), ElementsAre(2));
}

TEST_F(DispatchFilterTest, EveryNthIsOneOfTheLaunchesThatAreLeft) {
  setUp({{"--every", "3"}});
  EXPECT_THAT(admitted(8), ElementsAre(1, 4, 7));
  EXPECT_THAT(admitted(2, Sum), ElementsAre(1));
  setUp({{"--launches", "3-"}, {"--every", "2"}});
  EXPECT_THAT(admitted(8), ElementsAre(3, 5, 7));
}

TEST_F(DispatchFilterTest, LaunchesOnOtherDevicesAreNotCounted) {
  setUp({{"--device", "1"}, {"--launches", "2"}});
  EXPECT_THAT(admitted(3, Scale, 0), IsEmpty());
  EXPECT_THAT(admitted(3, Scale, 1), ElementsAre(2));
}

TEST_F(DispatchFilterTest, ProcessesGoByTheirFileAndByWhatTheyWereCalled) {
  for (const char *Name : {"app", "link"}) {
    setUp({{"--process", Name}});
    EXPECT_TRUE(admits(Scale)) << Name;
  }
  setUp({{"--process", "other"}});
  EXPECT_FALSE(admits(Scale));
  EXPECT_THAT(Filter->complaint(), HasSubstr("--process other"));
}

TEST_F(DispatchFilterTest, SaysWhichKernelMayHaveBeenMeant) {
  setUp({{"--kernel", "scael"}});
  admits(Scale);
  admits(Sum);
  EXPECT_THAT(Filter->complaint(),
              testing::EndsWith("; near it: scale(float*, unsigned int)"));
  setUp({{"--kernel", "convolution"}});
  admits(Scale);
  admits(Sum);
  EXPECT_THAT(Filter->complaint(),
              testing::EndsWith("; there were math::sum(float*), "
                                "scale(float*, unsigned int)"));
}

TEST_F(DispatchFilterTest, SaysWhichFilterLeftNothing) {
  setUp({{"--kernel", "scale"}, {"--launches", "7"}});
  EXPECT_EQ(Filter->complaint(), "") << "there was no launch at all";
  admitted(4);
  EXPECT_THAT(Filter->complaint(), HasSubstr("no kernel has more than 4"));
  setUp({{"--kernel", "scale"}, {"--device", "2"}});
  admitted(4);
  EXPECT_THAT(Filter->complaint(), HasSubstr("GPU 2"));
  setUp({{"--launches", "4"}});
  admitted(4);
  EXPECT_EQ(Filter->complaint(), "");
}

TEST(FilterSettings, SaysWhatIsWrong) {
  const std::pair<const char *, const char *> Wrong[] = {
      {"--kernel", "("},       {"--device", "-1"},
      {"--device", "gfx90a"},  {"--launches", "0"},
      {"--launches", "5-3"},   {"--launches", "3-5,"},
      {"--launches", "1-2-3"}, {"--launches", ""},
      {"--every", "0"},        {"--every", "2x"},
      {"--process", "a/b"},    {"--workgroups", "5-3"},
      {"--workgroups", "x"},   {"--workgroups", "4294967296"}};
  for (const auto &[Name, Value] : Wrong) {
    FilterSettings Settings;
    EXPECT_NE(Settings.set(Name, Value), "") << Name << " " << Value;
    EXPECT_FALSE(Settings.any()) << Name << " " << Value;
    EXPECT_EQ(Settings.Process, "") << Name << " " << Value;
  }
}

TEST(FilterSettings, WorkgroupsAreARangeFromZeroOn) {
  FilterSettings Settings;
  EXPECT_EQ(Settings.set("--workgroups", "0"), "");
  EXPECT_EQ(Settings.Workgroups->First, 0u);
  EXPECT_EQ(Settings.Workgroups->Last, 0u);
  EXPECT_EQ(Settings.set("--workgroups", "3-"), "");
  EXPECT_EQ(Settings.Workgroups->First, 3u);
  EXPECT_EQ(Settings.Workgroups->Last, UINT32_MAX);
  EXPECT_FALSE(Settings.any()) << "tools see as many launches";
}

TEST(FilterSettings, OfTheEnvironmentThatMeanNothingAreLeftOut) {
  const std::map<std::string, const char *> Variables = {
      {"LUTHIER_EVERY", "often"}, {"LUTHIER_LAUNCHES", "2-3"}};
  std::string Said;
  const FilterSettings Settings = FilterSettings::read(
      [&](const char *Name) {
        auto It = Variables.find(Name);
        return It == Variables.end() ? nullptr : It->second;
      },
      [&](const std::string &Message) { Said += Message; });
  EXPECT_THAT(Said, HasSubstr("LUTHIER_EVERY=often"));
  EXPECT_EQ(Settings.Every, 1u);
  ASSERT_EQ(Settings.Launches.size(), 1u);
  EXPECT_EQ(Settings.Launches[0].Last, 3u);
}

} // namespace
