// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables, device rows and the statistics file.
#include "emulator/cp/Statistics.h"
#include "emulator/kfd/Configuration.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace luthier::emulator {
namespace {

class SettingsTest : public testing::Test {
protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    for (const char *Name :
         {"LUTHIER_EMULATED_GPU", "LUTHIER_EMULATED_MEMORY",
          "LUTHIER_EMULATOR_SEED", "LUTHIER_EMULATOR_THREADS",
          "LUTHIER_EMULATOR_STATS", "LUTHIER_EMULATOR_COUNTS",
          "LUTHIER_EMULATOR_STRICT", "LUTHIER_EMULATOR_WATCHDOG",
          "LUTHIER_EMULATOR_INSTRUCTION_LIMIT"})
      unsetenv(Name);
  }
  std::string Error;
};

TEST_F(SettingsTest, DefaultToOneGfx90a) {
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  ASSERT_EQ(Config->Models.size(), 1u);
  EXPECT_STREQ(Config->Models[0]->Name, "gfx90a");
  EXPECT_EQ(Config->Threads, 1u);
  EXPECT_TRUE(Config->StatisticsPath.empty());
}

TEST_F(SettingsTest, AreReadFromTheEnvironment) {
  setenv("LUTHIER_EMULATED_GPU", "gfx1030", 1);
  setenv("LUTHIER_EMULATED_MEMORY", "256", 1);
  setenv("LUTHIER_EMULATOR_SEED", "42", 1);
  setenv("LUTHIER_EMULATOR_THREADS", "2", 1);
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  ASSERT_EQ(Config->Models.size(), 1u);
  EXPECT_EQ(Config->Models[0]->nativeWaveSize(), 32u);
  EXPECT_EQ(Config->LocalMemoryBytes, 256u << 20);
  EXPECT_EQ(Config->Seed, 42u);
  EXPECT_EQ(Config->Threads, 2u);
}

TEST_F(SettingsTest, ThereMayBeSeveralDevices) {
  setenv("LUTHIER_EMULATED_GPU", "gfx90a, gfx908,gfx90a", 1);
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  ASSERT_EQ(Config->Models.size(), 3u);
  EXPECT_STREQ(Config->Models[1]->Name, "gfx908");
  EXPECT_EQ(Config->Models[0], Config->Models[2]);
  setenv("LUTHIER_EMULATED_GPU", "gfx90a,", 1);
  EXPECT_FALSE(Configuration::fromEnvironment(Error));
}

TEST_F(SettingsTest, AnUnknownDeviceIsNamedWithTheKnownOnes) {
  setenv("LUTHIER_EMULATED_GPU", "gfx9000", 1);
  EXPECT_FALSE(Configuration::fromEnvironment(Error));
  EXPECT_NE(Error.find("gfx9000"), std::string::npos);
  EXPECT_NE(Error.find("gfx90a"), std::string::npos);
  EXPECT_EQ(Error.find('\n'), std::string::npos);
}

TEST_F(SettingsTest, TheWatchdogMayOnlyReport) {
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  EXPECT_EQ(Config->WatchdogSeconds, 60u);
  EXPECT_FALSE(Config->WatchdogOnlyReports);
  setenv("LUTHIER_EMULATOR_WATCHDOG", "5,report", 1);
  Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  EXPECT_EQ(Config->WatchdogSeconds, 5u);
  EXPECT_TRUE(Config->WatchdogOnlyReports);
  setenv("LUTHIER_EMULATOR_WATCHDOG", "soon", 1);
  EXPECT_FALSE(Configuration::fromEnvironment(Error));
}

TEST_F(SettingsTest, NonsenseNumbersAreRefused) {
  for (const char *Value : {"0", "-1", "two", "3x"}) {
    setenv("LUTHIER_EMULATOR_THREADS", Value, 1);
    EXPECT_FALSE(Configuration::fromEnvironment(Error)) << Value;
    EXPECT_NE(Error.find("LUTHIER_EMULATOR_THREADS"), std::string::npos);
  }
}

TEST_F(SettingsTest, MemoryIsWhatTheRuntimeTakes) {
  setenv("LUTHIER_EMULATED_MEMORY", "1048576", 1);
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  EXPECT_EQ(Config->LocalMemoryBytes, uint64_t(1) << 40);
  for (const char *Value : {"1048577", "9999999", "18446744073709551615"}) {
    setenv("LUTHIER_EMULATED_MEMORY", Value, 1);
    EXPECT_FALSE(Configuration::fromEnvironment(Error)) << Value;
    EXPECT_NE(Error.find("at most 1048576 MiB"), std::string::npos) << Error;
  }
}

TEST_F(SettingsTest, StrictModeIsOffUnlessAskedFor) {
  auto Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  EXPECT_FALSE(Config->Strict.anyCheck());
  setenv("LUTHIER_EMULATOR_STRICT", "undefined,continue", 1);
  Config = Configuration::fromEnvironment(Error);
  ASSERT_TRUE(Config) << Error;
  EXPECT_TRUE(Config->Strict.Undefined && Config->Strict.Continue);
  setenv("LUTHIER_EMULATOR_STRICT", "sometimes", 1);
  EXPECT_FALSE(Configuration::fromEnvironment(Error));
  EXPECT_NE(Error.find("LUTHIER_EMULATOR_STRICT: 'sometimes'"),
            std::string::npos);
}

TEST(DeviceModelTest, EveryDeviceHasARowOfItsArchitectureAndNoOtherIsFound) {
  for (const DeviceModel &Model : deviceModels()) {
    ASSERT_TRUE(findTarget(std::string_view(Model.Name))) << Model.Name;
    EXPECT_EQ(&Model.target(), findTarget(std::string_view(Model.Name)));
    EXPECT_EQ(findDeviceModel(Model.Name), &Model);
    EXPECT_EQ(Model.SramEcc, Model.target().NarrowLoadsClear) << Model.Name;
    // ROCr asserts that scratch waves divide evenly.
    EXPECT_EQ(Model.ComputeUnits % Model.ShaderEngines, 0u);
  }
  for (const Target &Row : targets())
    EXPECT_TRUE(findDeviceModel(Row.Name)) << Row.Name;
  EXPECT_FALSE(findDeviceModel("gfx900"));
  EXPECT_FALSE(findDeviceModel("gfx90"));
  EXPECT_FALSE(findDeviceModel(""));
}

TEST(DeviceModelTest, RegisterFilesHaveTheirSize) {
  constexpr uint32_t KiB = 1024;
  EXPECT_EQ(findDeviceModel("gfx906")->vgprBytesPerUnit(), 256 * KiB);
  EXPECT_EQ(findDeviceModel("gfx908")->vgprBytesPerUnit(), 512 * KiB);
  EXPECT_EQ(findDeviceModel("gfx90a")->vgprBytesPerUnit(), 512 * KiB);
  EXPECT_EQ(findDeviceModel("gfx1030")->vgprBytesPerUnit(), 256 * KiB);
  EXPECT_EQ(findDeviceModel("gfx1100")->vgprBytesPerUnit(), 384 * KiB);
  EXPECT_EQ(findDeviceModel("gfx90a")->nativeWaveSize(), 64u);
  EXPECT_EQ(findDeviceModel("gfx1100")->nativeWaveSize(), 32u);
}

TEST(StatisticsTest, TheFileIsSortedJsonUnderTheProcessId) {
  Statistics Stats, Second;
  Second.add("zeta", {100, 200});
  Stats.add("zeta", {1, 2});
  Stats.add("alpha\"\xff", {10, 20});
  Stats.add("zeta", {3, 4, 500}, {60, 50});
  // Two overlap, one is alone, one still runs.
  for (uint64_t Begin : {1000, 1500})
    Stats.begin(Begin);
  for (uint64_t End : {1700, 2000})
    Stats.end(End);
  Stats.begin(5000);
  Stats.end(5070);
  Stats.begin(6000);
  const std::string Folder = testing::TempDir();
  ASSERT_TRUE(writeReport(Folder + "/stats-%p.json",
                          statisticsJson({&Stats, &Second})));
  const std::string Path =
      Folder + "/stats-" + std::to_string(getpid()) + ".json";
  auto File = llvm::MemoryBuffer::getFile(Path);
  ASSERT_TRUE(bool(File)) << Path;
  auto Json = llvm::json::parse((*File)->getBuffer());
  ASSERT_TRUE(bool(Json));
  const auto *Kernels = Json->getAsObject()->getArray("kernels");
  ASSERT_EQ(Kernels->size(), 3u);
  const auto &Zeta = *(*Kernels)[1].getAsObject();
  EXPECT_EQ(Zeta.getString("name"), "zeta");
  EXPECT_EQ(Zeta.getInteger("dispatches"), 2);
  EXPECT_EQ(Zeta.getInteger("wave_instructions"), 4);
  EXPECT_EQ(Zeta.getInteger("lane_instructions"), 6);
  EXPECT_EQ(Zeta.getInteger("cycles"), 500);
  EXPECT_EQ(Zeta.getInteger("host_ns"), 60);
  EXPECT_EQ(Zeta.getInteger("host_thread_ns"), 50);
  EXPECT_EQ(Zeta.getInteger("device"), 0);
  const auto &Other = *(*Kernels)[2].getAsObject();
  EXPECT_EQ(Other.getString("name"), "zeta");
  EXPECT_EQ(Other.getInteger("device"), 1);
  EXPECT_EQ(Other.getInteger("wave_instructions"), 100);
  const auto *Devices = Json->getAsObject()->getArray("devices");
  ASSERT_EQ(Devices->size(), 2u);
  EXPECT_EQ((*Devices)[0].getAsObject()->getInteger("busy_ns"), 1070);
  EXPECT_EQ((*Devices)[1].getAsObject()->getInteger("device"), 1);
  EXPECT_EQ((*Devices)[1].getAsObject()->getInteger("busy_ns"), 0);
  std::filesystem::remove(Path);
}

TEST(StatisticsTest, AnUnwritableFileIsSaid) {
  EXPECT_FALSE(writeReport("/nonexistent/stats.json", "{}"));
}

class ReportFileTest : public testing::Test {
protected:
  ReportFileTest() { std::filesystem::create_directory(Folder); }
  ~ReportFileTest() override { std::filesystem::remove_all(Folder); }

  std::string contents(const std::string &Name) const {
    auto File = llvm::MemoryBuffer::getFile(Folder + "/" + Name);
    return File ? (*File)->getBuffer().str() : "there is none";
  }

  const std::string Me = std::to_string(getpid());
  const std::string Folder = testing::TempDir() + "/reports-" + Me;
  const std::string Path = Folder + "/report-%p.json";
};

TEST_F(ReportFileTest, EachProgramThatAProcessBecomesHasAFile) {
  ASSERT_TRUE(writeReport(Path, "first"));
  EXPECT_EQ(setReportAside(Path), Folder + "/report-" + Me + "-1.json");
  ASSERT_TRUE(writeReport(Path, "second"));
  EXPECT_EQ(setReportAside(Path), Folder + "/report-" + Me + "-2.json");
  ASSERT_TRUE(writeReport(Path, "third"));
  EXPECT_EQ(contents("report-" + Me + "-1.json"), "first");
  EXPECT_EQ(contents("report-" + Me + "-2.json"), "second");
  EXPECT_EQ(contents("report-" + Me + ".json"), "third");
}

TEST_F(ReportFileTest, ANameThatAllProcessesShareIsKept) {
  const std::string Shared = Folder + "/report.json";
  ASSERT_TRUE(writeReport(Shared, "text"));
  EXPECT_EQ(setReportAside(Shared), "");
  EXPECT_EQ(contents("report.json"), "text");
}

TEST_F(ReportFileTest, TheReportAtTheEndTakesThePlaceOfTheOneInBetween) {
  writeReportInBetween(Path, "some");
  EXPECT_EQ(contents("report-" + Me + ".json"), "some");
  ASSERT_TRUE(writeReport(Path, "all"));
  EXPECT_EQ(contents("report-" + Me + ".json"), "all");
  EXPECT_EQ(contents("report-" + Me + ".json.new"), "there is none");
}

TEST_F(ReportFileTest, LinksAreWrittenThroughAtTheEndAlone) {
  ASSERT_TRUE(writeReport(Folder + "/linked", "before"));
  std::filesystem::create_symlink(Folder + "/linked", Folder + "/link");
  writeReportInBetween(Folder + "/link", "some");
  EXPECT_EQ(contents("linked"), "before");
  ASSERT_TRUE(writeReport(Folder + "/link", "all"));
  EXPECT_EQ(contents("linked"), "all");
}

} // namespace
} // namespace luthier::emulator
