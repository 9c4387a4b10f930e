// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RunPlan.h"
#include "emulator/strict/Options.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace luthier::cli;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Runs \p Action and returns what it refuses with; empty if it does not.
template <typename Function> std::string refusalOf(Function Action) {
  try {
    Action();
  } catch (const RunError &E) {
    return E.what();
  }
  return "";
}

TEST(RunArguments, OptionsEndAtTheProgram) {
  RunOptions Options =
      parseRunArguments({"--tool", "a", "--tool=b", "--device", "emulated",
                         "--output=out", "app", "--tool", "c"});
  EXPECT_THAT(Options.Tools, ElementsAre("a", "b"));
  EXPECT_EQ(Options.Device, "emulated");
  EXPECT_EQ(Options.Output, "out");
  EXPECT_THAT(Options.Command, ElementsAre("app", "--tool", "c"));
}

TEST(RunArguments, TwoDashesEndThemToo) {
  RunOptions Options = parseRunArguments({"--tool", "a", "--", "--odd", "x"});
  EXPECT_THAT(Options.Command, ElementsAre("--odd", "x"));
}

TEST(RunArguments, MistakesAreNamed) {
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--toll", "a", "app"}); }),
              HasSubstr("--toll"));
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--tool"}); }),
              HasSubstr("--tool needs a value"));
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--tool", "a"}); }),
              HasSubstr("no program"));
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--tools=a", "app"}); }),
              HasSubstr("--tools=a"));
}

TEST(RunArguments, ToolsMayHaveOptions) {
  const std::tuple<const char *, const char *, const char *> Rows[] = {
      {"count", "count", ""},
      {"count:depth=3,verbose", "count", "depth=3,verbose"},
      {"./libx.so:file=/a:b", "./libx.so", "file=/a:b"},
      {"count:verbose", "count", "verbose"},
      {"count:verbose,depth=3", "count", "verbose,depth=3"},
      {"/with:colon/libx.so", "/with:colon/libx.so", ""},
      {"/with:colon/libx.so:a=1", "/with:colon/libx.so", "a=1"}};
  for (const auto &[Text, Name, Given] : Rows) {
    const GivenTool Tool(Text);
    EXPECT_EQ(Tool.Name, Name);
    EXPECT_EQ(Tool.Options, Given);
  }
  EXPECT_EQ(parseRunArguments({"--tool", "count:help"}).HelpOfTool, "count");
}

TEST(RunArguments, SettingsOfTheEngineAreChecked) {
  RunOptions Options = parseRunArguments(
      {"--registers", "no-grow", "--state-storage=two-agprs", "app"});
  EXPECT_THAT(Options.EngineSettings,
              ElementsAre(std::pair("LUTHIER_REGISTERS", "no-grow"),
                          std::pair("LUTHIER_STATE_STORAGE", "two-agprs")));
  EXPECT_THAT(parseRunArguments({"--no-cache", "app"}).EngineSettings,
              ElementsAre(std::pair("LUTHIER_CACHE_SIZE", "0")));
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--registers=all", "app"}); }),
              HasSubstr("--registers all: choose one of: grow, "));
}

TEST(RunArguments, FiltersAreCheckedAndGivenOnce) {
  const RunOptions Options =
      parseRunArguments({"--kernel=^a|b", "--launches", "3-5,10-", "--every=2",
                         "--device", "1", "--device=emulated:gfx90a,gfx908",
                         "--process", "worker", "--workgroups=0-7", "app"});
  EXPECT_THAT(Options.Filters,
              ElementsAre(std::pair("LUTHIER_KERNEL", "^a|b"),
                          std::pair("LUTHIER_LAUNCHES", "3-5,10-"),
                          std::pair("LUTHIER_EVERY", "2"),
                          std::pair("LUTHIER_DEVICE", "1"),
                          std::pair("LUTHIER_PROCESS", "worker"),
                          std::pair("LUTHIER_WORKGROUPS", "0-7")));
  EXPECT_EQ(Options.Device, "emulated:gfx90a,gfx908");
  EXPECT_THAT(refusalOf([] { parseRunArguments({"--every=0", "app"}); }),
              HasSubstr("--every 0: a number from 1 up"));
  EXPECT_THAT(
      refusalOf([] { parseRunArguments({"--kernel=a", "--kernel=b", "app"}); }),
      HasSubstr("--kernel b: the option was given before, as a"));
}

TEST(RunArguments, SettingsOfTheEmulatorAreChecked) {
  const RunOptions Options = parseRunArguments(
      {"--threads", "1", "--seed=0", "--gpu-memory", "64", "--watchdog",
       "3,report", "--strict=undefined,loads=latest,seed=7", "app"});
  EXPECT_EQ(Options.EmulatorSettings.size(), 5u);
  for (const char *Wrong :
       {"--threads=0", "--threads=abc", "--threads=1x", "--seed=-1",
        "--gpu-memory=63", "--gpu-memory=1048577", "--watchdog=-3",
        "--watchdog=,report", "--seed=99999999999999999999"})
    EXPECT_THAT(refusalOf([&] { parseRunArguments({Wrong, "app"}); }),
                HasSubstr("a number from"))
        << Wrong;
}

/// The command cannot ask the emulator, which is of LLVM.
TEST(RunArguments, StrictChecksAreThoseOfTheEmulator) {
  for (const char *Text : {"0",
                           "1",
                           "all",
                           "all,continue",
                           "undefined",
                           "uninitialised",
                           "uninitialized",
                           "poison",
                           "hazards",
                           "continue",
                           "loads=earliest",
                           "loads=latest",
                           "loads=random",
                           "loads=never",
                           "loads",
                           "seed=5",
                           "seed=",
                           "seed=x",
                           "waits",
                           "bogus",
                           "undefined,hazards",
                           "undefined,,hazards",
                           "undefined,bogus",
                           "1,continue",
                           "seed=1,loads=random",
                           "-1",
                           ","}) {
    std::string Error;
    const bool IsKnown =
        luthier::emulator::strict::parseOptions(Text, Error).has_value();
    const std::string Refusal = refusalOf(
        [&] { parseRunArguments({std::string("--strict=") + Text, "app"}); });
    EXPECT_EQ(Refusal.empty(), IsKnown) << Text << ": " << Refusal;
  }
}

class RunPlanTest : public testing::Test {
protected:
  RunPlanTest() {
    Around.Prefix = "/opt/luthier";
    Around.CurrentDirectory = "/home/me";
    Around.Time = "12345";
    Around.IsStatic = [](const std::string &Program) {
      return Program == "busybox-static";
    };
    Around.FileExists = [this](const std::string &Path) {
      return Files.contains(Path);
    };
    Around.WhyNoTool = [this](const std::string &Path) {
      return NoTools.contains(Path) ? std::string("it registers none") : "";
    };
    Around.WhyNoFilesIn = [](const std::string &Folder) {
      return Folder == "/read-only" ? "Read-only file system" : "";
    };
    Around.WhyNoOptions = [](const std::string &, const std::string &Options) {
      return Options == "depth=3" ? std::string() : "it has: depth";
    };
    Around.WhyNotWritable = [](const std::string &Path) {
      return Path.starts_with("/nowhere/") ? std::string("no such folder") : "";
    };
    Around.InstalledTools = [] {
      return std::vector<std::string>{"instr-count", "trace"};
    };
    Around.Variable =
        [this](const std::string &Name) -> std::optional<std::string> {
      auto It = Variables.find(Name);
      return It == Variables.end() ? std::nullopt : std::optional(It->second);
    };
    Files = {"/opt/luthier/lib/luthier/tools/libinstr-count.so",
             "/home/me/libmine.so"};
    Options.Command = {"app"};
  }

  /// The planned value, or "unset".
  std::string planned(const std::string &Name) {
    std::string Value = "unset";
    for (const auto &[Key, Planned] : planRun(Options, Around).Environment)
      if (Key == Name)
        Value = Planned;
    return Value;
  }
  std::string refusal() {
    return refusalOf([&] { planRun(Options, Around); });
  }

  RunOptions Options;
  Surroundings Around;
  std::set<std::string> Files, NoTools;
  std::map<std::string, std::string> Variables;
};

TEST_F(RunPlanTest, FilesThatAreNoToolsAreRefusedBeforeTheProgramRuns) {
  Options.Tools = {"./libmine.so"};
  Files.insert("/home/me/./libmine.so");
  EXPECT_EQ(refusal(), "");
  NoTools.insert("/home/me/./libmine.so");
  EXPECT_EQ(refusal(), "./libmine.so is not a Luthier tool: it registers none");
}

TEST_F(RunPlanTest, ResultsThatCannotBeWrittenAreRefused) {
  Options.EngineSettings = {{"LUTHIER_COSTS", "/nowhere/costs"}};
  EXPECT_EQ(refusal(), "--costs /nowhere/costs: no such folder");
  Options.EngineSettings = {{"LUTHIER_COSTS", "-"}};
  EXPECT_EQ(refusal(), "");
  Options.Device = "emulated";
  Options.EmulatorSettings = {{"LUTHIER_EMULATOR_STATS", "/nowhere/s.json"}};
  EXPECT_EQ(refusal(), "--stats /nowhere/s.json: no such folder");
  Options.EmulatorSettings = {{"LUTHIER_EMULATOR_STATS", "s.json"}};
  EXPECT_EQ(planned("LUTHIER_EMULATOR_STATS"), "/home/me/s.json");
}

TEST_F(RunPlanTest, ScrambleIsFoundByItsFormerName) {
  const std::string Path = "/opt/luthier/lib/luthier/tools/libscramble.so";
  Files.insert(Path);
  EXPECT_EQ(findTool("poison", Around), Path);
  EXPECT_EQ(findTool("scramble", Around), Path);
}

TEST_F(RunPlanTest, OptionsOfToolsHaveALineForEach) {
  Options.Tools = {"instr-count", "instr-count:depth=3", "instr-count"};
  EXPECT_EQ(planned("LUTHIER_TOOL_OPTIONS"), "\ndepth=3\n");
  Options.Tools = {"instr-count:depht=3"};
  EXPECT_EQ(refusal(), "--tool instr-count:depht=3: it has: depth; luthier run "
                       "--tool instr-count:help explains its options");
  Options.Tools = {"instr-count:depth=3\n"};
  EXPECT_THAT(refusal(), HasSubstr("line break"));
}

TEST_F(RunPlanTest, ToolsAreFoundByNameAndByPath) {
  Options.Tools = {"instr-count", "./libmine.so"};
  Files.insert("/home/me/./libmine.so");
  EXPECT_EQ(planned("LUTHIER_TOOLS"),
            "/opt/luthier/lib/luthier/tools/libinstr-count.so:"
            "/home/me/./libmine.so");
  EXPECT_EQ(planned("HSA_TOOLS_LIB"), "/opt/luthier/lib/libluthier.so");
}

TEST_F(RunPlanTest, WithoutToolsNothingIsLoaded) {
  EXPECT_EQ(planned("HSA_TOOLS_LIB"), "unset");
  EXPECT_EQ(planned("LUTHIER_TOOLS"), "unset");
}

TEST_F(RunPlanTest, FiltersReachTheProgramOfTools) {
  Options = parseRunArguments({"--kernel", "scan", "app"});
  EXPECT_THAT(refusal(), HasSubstr("no --tool"));
  Options.Tools = {"instr-count"};
  EXPECT_EQ(planned("LUTHIER_KERNEL"), "scan");
  EXPECT_EQ(planned("LUTHIER_EVERY"), "unset");
  Options = parseRunArguments({"--fail-if-unchanged", "app"});
  EXPECT_THAT(refusal(), HasSubstr("no --tool"));
}

TEST_F(RunPlanTest, UnknownToolListsTheKnown) {
  Options.Tools = {"instr-cuont"};
  EXPECT_THAT(refusal(), HasSubstr("instr-cuont"));
  EXPECT_THAT(refusal(), HasSubstr("instr-count, trace"));
  Options.Tools = {"dir/libgone.so"};
  EXPECT_THAT(refusal(), HasSubstr("dir/libgone.so"));
}

TEST_F(RunPlanTest, OtherToolLibrariesAreKept) {
  Options.Tools = {"instr-count"};
  Variables["HSA_TOOLS_LIB"] = "librocprofiler.so";
  EXPECT_EQ(planned("HSA_TOOLS_LIB"),
            "librocprofiler.so /opt/luthier/lib/libluthier.so");
  Variables["HSA_TOOLS_LIB"] = "/opt/luthier/lib/libluthier.so";
  EXPECT_EQ(planned("HSA_TOOLS_LIB"), "unset") << "it would be loaded twice";
}

TEST_F(RunPlanTest, PathWithSpacesIsEscapedForRocr) {
  Around.Prefix = "/my tools";
  Files = {"/my tools/lib/luthier/tools/libinstr-count.so"};
  Options.Tools = {"instr-count"};
  EXPECT_EQ(planned("HSA_TOOLS_LIB"), "/my\\ tools/lib/libluthier.so");
}

constexpr char Ends[] = "/opt/luthier/lib/luthier/preloaded/libluthier-ends.so";

TEST_F(RunPlanTest, WithoutGPUTheEmulatedOneIsTakenAndAnnounced) {
  EXPECT_EQ(planned("LD_PRELOAD"),
            std::string(Ends) + " /opt/luthier/lib/emulated/libluthier-gpu.so");
  EXPECT_EQ(planned("LUTHIER_EMULATED_GPU"), "gfx90a");
  EXPECT_THAT(planRun(Options, Around).Notes,
              ElementsAre(HasSubstr("emulated gfx90a")));
}

TEST_F(RunPlanTest, AGPUThatCannotBeUsedIsExplained) {
  Around.WhyNoGPU = "/dev/kfd cannot be opened: Permission denied";
  EXPECT_THAT(planRun(Options, Around).Notes,
              ElementsAre(HasSubstr("Permission denied")));
  Options.Device = "native";
  EXPECT_THAT(refusal(), HasSubstr("Permission denied"));
}

TEST_F(RunPlanTest, StaticProgramsAreToldThatTheyFindNoEmulatedGPU) {
  Options.Device = "emulated";
  Options.Command = {"busybox-static", "sh"};
  EXPECT_THAT(planRun(Options, Around).Notes,
              ElementsAre(HasSubstr("busybox-static is statically linked")));
}

TEST_F(RunPlanTest, OnAnEmulatedGPUMemoryIsSharedByDmabufsUnlessTheUserSaysNo) {
  EXPECT_EQ(planned("HSA_ENABLE_IPC_MODE_LEGACY"), "0");
  Variables["HSA_ENABLE_IPC_MODE_LEGACY"] = "1";
  EXPECT_EQ(planned("HSA_ENABLE_IPC_MODE_LEGACY"), "unset");
}

TEST_F(RunPlanTest, NativeGPUNeedsNothing) {
  Around.HasGPU = true;
  for (const char *Device : {"", "native"}) {
    Options.Device = Device;
    EXPECT_EQ(planned("LD_PRELOAD"), "unset");
    EXPECT_EQ(planned("HSA_ENABLE_IPC_MODE_LEGACY"), "unset");
    EXPECT_TRUE(planRun(Options, Around).Notes.empty());
  }
}

TEST_F(RunPlanTest, NativeWithoutGPUIsRefused) {
  Options.Device = "native";
  EXPECT_THAT(refusal(), HasSubstr("/dev/kfd"));
}

TEST_F(RunPlanTest, EmulatedGoesBeforeWhatTheUserPreloads) {
  Variables["LD_PRELOAD"] = "libmine.so";
  for (const char *Device : {"emulated", "emulated:gfx90a"}) {
    Options.Device = Device;
    EXPECT_EQ(planned("LD_PRELOAD"),
              std::string(Ends) +
                  " /opt/luthier/lib/emulated/libluthier-gpu.so libmine.so");
    EXPECT_EQ(planned("LD_LIBRARY_PATH"), "unset");
    EXPECT_TRUE(planRun(Options, Around).Notes.empty());
  }
}

TEST_F(RunPlanTest, ToolsAreToldHowTheProcessEndsOnAnyDevice) {
  Files = {"/opt/luthier/lib/luthier/tools/libinstr-count.so"};
  Options.Tools = {"instr-count"};
  EXPECT_EQ(planned("LD_PRELOAD"),
            std::string(Ends) + " /opt/luthier/lib/emulated/libluthier-gpu.so");
  Around.HasGPU = true;
  EXPECT_EQ(planned("LD_PRELOAD"), Ends);
}

TEST_F(RunPlanTest, AddressSanitizerAllowsThePreloadUnlessTheUserForbids) {
  EXPECT_EQ(planned("ASAN_OPTIONS"), "verify_asan_link_order=0");
  Variables["ASAN_OPTIONS"] = "verify_asan_link_order=1";
  EXPECT_EQ(planned("ASAN_OPTIONS"),
            "verify_asan_link_order=0:verify_asan_link_order=1");
  Options.Device = "native";
  Around.HasGPU = true;
  EXPECT_EQ(planned("ASAN_OPTIONS"), "unset");
}

TEST_F(RunPlanTest, FromAPathWithSpacesItIsPreloadedByItsName) {
  Around.Prefix = "/my tools";
  Variables["LD_LIBRARY_PATH"] = "/my/lib";
  EXPECT_EQ(planned("LD_PRELOAD"), "libluthier-ends.so libluthier-gpu.so");
  EXPECT_EQ(planned("LD_LIBRARY_PATH"),
            "/my tools/lib/emulated:/my tools/lib/luthier/preloaded:/my/lib");
  Around.HasGPU = true;
  Files = {"/my tools/lib/luthier/tools/libinstr-count.so"};
  Options.Tools = {"instr-count"};
  EXPECT_EQ(planned("LD_PRELOAD"), "libluthier-ends.so");
  EXPECT_EQ(planned("LD_LIBRARY_PATH"),
            "/my tools/lib/luthier/preloaded:/my/lib");
}

TEST_F(RunPlanTest, FromAPathThatTheLoaderSplitsNothingIsRun) {
  Around.Prefix = "/my:tools";
  EXPECT_THAT(refusal(), HasSubstr("/my:tools"));
  Around.HasGPU = true;
  Files = {"/my:tools/lib/luthier/tools/libinstr-count.so"};
  Options.Tools = {"instr-count"};
  EXPECT_THAT(refusal(), HasSubstr("/my:tools"));
}

TEST_F(RunPlanTest, UnsupportedDeviceListsTheSupported) {
  for (const char *Device : {"emulated:gfx123", "emulatedgfx90a", "cuda"}) {
    Options.Device = Device;
    EXPECT_THAT(refusal(), HasSubstr("gfx90a")) << Device;
  }
}

TEST_F(RunPlanTest, SeveralGPUsMayBeEmulated) {
  Options.Device = "emulated:gfx90a,gfx908";
  EXPECT_EQ(planned("LUTHIER_EMULATED_GPU"), "gfx90a,gfx908");
  for (const char *Device :
       {"emulated:gfx90a,", "emulated:,gfx90a", "emulated:gfx90a,gfx123"}) {
    Options.Device = Device;
    EXPECT_THAT(refusal(), HasSubstr("there is no emulated GPU")) << Device;
  }
}

TEST_F(RunPlanTest, OptionsOfTheEmulatedGPUBecomeVariables) {
  Options = parseRunArguments(
      {"--seed", "7", "--gpu-memory=256", "--stats", "a.json", "app"});
  EXPECT_EQ(planned("LUTHIER_EMULATOR_SEED"), "7");
  EXPECT_EQ(planned("LUTHIER_EMULATED_MEMORY"), "256");
  EXPECT_EQ(planned("LUTHIER_EMULATOR_STATS"), "/home/me/a.json");
  Options = parseRunArguments({"--counts", "b.json", "app"});
  EXPECT_EQ(planned("LUTHIER_EMULATOR_COUNTS"), "/home/me/b.json");
  Around.HasGPU = true;
  EXPECT_THAT(refusal(), HasSubstr("--device emulated"));
}

TEST_F(RunPlanTest, StrictModeTakesChecksOnlyAfterAnEqualsSign) {
  Options = parseRunArguments({"--strict", "app"});
  EXPECT_THAT(Options.Command, ElementsAre("app"));
  EXPECT_EQ(planned("LUTHIER_EMULATOR_STRICT"), "1");
  Options = parseRunArguments({"--strict=undefined,seed=3", "app"});
  EXPECT_EQ(planned("LUTHIER_EMULATOR_STRICT"), "undefined,seed=3");
}

TEST_F(RunPlanTest, ToolsThatCannotWriteHereAreToldWhereElse) {
  Around.CurrentDirectory = "/read-only";
  Options.Device = "emulated";
  EXPECT_TRUE(planRun(Options, Around).Notes.empty()) << "there is no tool";
  Files = {"/opt/luthier/lib/luthier/tools/libinstr-count.so"};
  Options.Tools = {"instr-count"};
  EXPECT_THAT(planRun(Options, Around).Notes,
              ElementsAre(HasSubstr("/read-only (Read-only file system)")));
  Options.Output = "/home/me/out";
  EXPECT_TRUE(planRun(Options, Around).Notes.empty());
}

TEST_F(RunPlanTest, OutputIsAbsolute) {
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/home/me");
  EXPECT_EQ(planRun(Options, Around).OutputDirectory, "");
  Options.Output = "out";
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/home/me/out");
  EXPECT_EQ(planRun(Options, Around).OutputDirectory, "/home/me/out");
  Options.Output = "/tmp/out";
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/tmp/out");
}

TEST_F(RunPlanTest, OutputVariableOfTheUserIsKeptAndAbsolute) {
  Variables["LUTHIER_OUTPUT"] = "/elsewhere";
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/elsewhere");
  Variables["LUTHIER_OUTPUT"] = "out";
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/home/me/out");
  Variables["LUTHIER_OUTPUT"] = "";
  EXPECT_EQ(planned("LUTHIER_OUTPUT"), "/home/me");
}

TEST_F(RunPlanTest, OutputVariableThatIsOfNoUseIsSaid) {
  Options.Device = "emulated";
  Variables["LUTHIER_OUTPUT"] = "/read-only";
  EXPECT_TRUE(planRun(Options, Around).Notes.empty()) << "there is no tool";
  Options.Tools = {"instr-count"};
  EXPECT_THAT(planRun(Options, Around).Notes,
              ElementsAre(HasSubstr(
                  "/read-only, LUTHIER_OUTPUT (Read-only file system)")));
  Options.Output = "/home/me/out";
  EXPECT_TRUE(planRun(Options, Around).Notes.empty());
}

TEST_F(RunPlanTest, SettingsOfTheEngineReachTheProgram) {
  Options.EngineSettings = {{"LUTHIER_REGISTERS", "no-grow"}};
  EXPECT_EQ(planned("LUTHIER_REGISTERS"), "no-grow");
}

TEST_F(RunPlanTest, CostsGoToAFileWhereverTheProgramGoes) {
  Options = parseRunArguments({"--costs", "costs.txt", "app"});
  EXPECT_EQ(planned("LUTHIER_COSTS"), "/home/me/costs.txt");
  Options = parseRunArguments({"--costs=-", "app"});
  EXPECT_EQ(planned("LUTHIER_COSTS"), "-");
}

} // namespace
