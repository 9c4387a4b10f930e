// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RunPlan.h"
#include "runtime/FilterSettings.h"
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace luthier::cli {
namespace {

constexpr std::string_view Devices[] = {
#define LUTHIER_DEVICE(Name, ...) #Name,
#include "emulator/cp/Devices.def"
};

std::vector<std::string> emulatedDevices() {
  return {std::begin(Devices), std::end(Devices)};
}

/// What `--name VALUE` sets for the emulated GPU; see docs/emulator.md.
struct EmulatorOption {
  std::string_view Name;
  const char *Variable;
  std::optional<uint64_t> Least; ///< Of numbers.
  uint64_t Most = UINT64_MAX;
};
constexpr const char *StatsVariable = "LUTHIER_EMULATOR_STATS";
constexpr const char *CountsVariable = "LUTHIER_EMULATOR_COUNTS";
constexpr std::string_view Watchdog = "--watchdog";
constexpr EmulatorOption EmulatorOptions[] = {
    {"--counts", CountsVariable, {}},
    // What ROCr takes at most, a TiB: kfd/Configuration.h.
    {"--gpu-memory", "LUTHIER_EMULATED_MEMORY", 64, 1 << 20},
    {"--seed", "LUTHIER_EMULATOR_SEED", 0},
    {"--stats", StatsVariable, {}},
    {"--threads", "LUTHIER_EMULATOR_THREADS", 1},
    {Watchdog, "LUTHIER_EMULATOR_WATCHDOG", 0},
};

bool isNumber(std::string_view Text, uint64_t Least,
              uint64_t Most = UINT64_MAX) {
  uint64_t Value;
  const char *End = Text.data() + Text.size();
  const auto [Rest, Failure] = std::from_chars(Text.data(), End, Value);
  return Failure == std::errc() && Rest == End && Value >= Least &&
         Value <= Most;
}

void check(const EmulatorOption &Option, std::string_view Value) {
  constexpr std::string_view OnlyReports = ",report";
  if (Option.Name == Watchdog && Value.ends_with(OnlyReports))
    Value.remove_suffix(OnlyReports.size());
  if (Option.Least && !isNumber(Value, *Option.Least, Option.Most))
    throw RunError(std::string(Option.Name) + " " + std::string(Value) +
                   ": a number from " + std::to_string(*Option.Least) +
                   (Option.Most == UINT64_MAX
                        ? " up"
                        : " to " + std::to_string(Option.Most)) +
                   " is needed");
}

/// As emulator/strict/Options.h has them.
bool isStrictCheck(std::string_view Item) {
  constexpr std::string_view Words[] = {
      "1", "all", "undefined",
      // Its names of before.
      "uninitialised", "uninitialized", "poison", "hazards", "continue",
      "loads=earliest", "loads=latest", "loads=random"};
  constexpr std::string_view Seed = "seed=";
  return std::ranges::find(Words, Item) != std::end(Words) ||
         (Item.starts_with(Seed) && isNumber(Item.substr(Seed.size()), 0));
}

void checkStrict(const std::string &Value) {
  if (Value == "0")
    return;
  for (size_t From = 0; From <= Value.size();) {
    const size_t Comma = std::min(Value.find(',', From), Value.size());
    const std::string Item = Value.substr(From, Comma - From);
    if (!isStrictCheck(Item))
      throw RunError("--strict=" + Value + ": '" + Item +
                     "' is not all, undefined, hazards, "
                     "loads=earliest|latest|random, seed=NUMBER or continue");
    From = Comma + 1;
  }
}

/// What `--name VALUE` sets for the engine, and the values there are; none for
/// the name of a file.
struct EngineOption {
  std::string_view Name;
  const char *Variable;
  std::vector<std::string> Values;
};
constexpr const char *CostsVariable = "LUTHIER_COSTS";
const EngineOption EngineOptions[] = {
    {"--registers", "LUTHIER_REGISTERS", {"grow", "keep-occupancy", "no-grow"}},
    {"--state-storage",
     "LUTHIER_STATE_STORAGE",
     {"vgpr", "agpr", "two-agprs", "agpr-3sgprs", "spilled-3sgprs",
      "spilled-1sgpr"}},
    {"--costs", CostsVariable, {}},
};

/// Takes the value of a filter, which is given once: two would have to agree.
void addFilter(RunOptions &Options, const runtime::FilterOption &Filter,
               const std::string &Value) {
  runtime::FilterSettings Checked;
  const std::string Given = std::string(Filter.Name) + " " + Value;
  for (const auto &[Variable, Before] : Options.Filters)
    if (Variable == Filter.Variable)
      throw RunError(Given + ": the option was given before, as " + Before);
  if (const std::string Wrong = Checked.set(Filter.Name, Value); !Wrong.empty())
    throw RunError(Given + ": " + Wrong);
  Options.Filters.emplace_back(Filter.Variable, Value);
}

/// `--device 1` chooses one of several, `--device NAME` makes them.
bool isFilter(const runtime::FilterOption &Filter, const std::string &Value) {
  return Filter.Name != "--device" || isNumber(Value, 0);
}

std::string join(const std::vector<std::string> &Items) {
  std::string Text;
  for (const std::string &Item : Items)
    Text += (Text.empty() ? "" : ", ") + Item;
  return Text;
}

std::string absolute(const std::string &Path, const Surroundings &Around) {
  return Path.starts_with('/') ? Path : Around.CurrentDirectory + "/" + Path;
}

/// ROCr separates the libraries by spaces and takes a backslash as an escape.
std::string escapeForRocr(const std::string &Path) {
  std::string Escaped;
  for (char C : Path) {
    if (C == ' ' || C == '"' || C == '\\')
      Escaped += '\\';
    Escaped += C;
  }
  return Escaped;
}

class Planner {
public:
  Planner(const RunOptions &Options, const Surroundings &Around)
      : Options(Options), Around(Around) {}

  RunPlan plan() {
    planTools();
    planDevice();
    planPreload();
    if (!Result.IsEmulated && !Options.EmulatorSettings.empty())
      throw RunError("options of the emulated GPU were given, but the program "
                     "runs on the machine's own; add --device emulated");
    planOutput();
    // The program may change its directory.
    for (const auto &[Variable, Value] : Options.EngineSettings)
      set(Variable, Variable == CostsVariable && Value != "-"
                        ? writable("--costs", Value)
                        : Value);
    // Tells files of this run from older ones that it may replace.
    set("LUTHIER_RUN_STARTED", Around.Time);
    return std::move(Result);
  }

private:
  void set(const std::string &Name, const std::string &Value) {
    Result.Environment.emplace_back(Name, Value);
  }

  void planTools() {
    if (Options.Tools.empty()) {
      if (!Options.Filters.empty())
        throw RunError("there are filters, but no --tool that they apply to");
      if (Options.FailIfUnchanged)
        throw RunError("--fail-if-unchanged: no --tool is given");
      return;
    }
    for (const auto &[Variable, Value] : Options.Filters)
      set(Variable, Value);
    std::string Paths, ToolOptions;
    for (const std::string &Text : Options.Tools) {
      const GivenTool Tool(Text);
      const std::string Path = findTool(Tool.Name, Around);
      checkOptions(Tool, Path);
      if (!Paths.empty()) {
        Paths += ':';
        ToolOptions += '\n';
      }
      Paths += Path;
      ToolOptions += Tool.Options;
    }
    set("LUTHIER_TOOLS", Paths);
    set("LUTHIER_TOOL_OPTIONS", ToolOptions);
    std::string Ours = escapeForRocr(libraryDirectory() + "/libluthier.so");
    std::string Others = Around.Variable("HSA_TOOLS_LIB").value_or("");
    if (Others.find(Ours) == std::string::npos)
      set("HSA_TOOLS_LIB", Others.empty() ? Ours : Others + " " + Ours);
  }

  void checkOptions(const GivenTool &Tool, const std::string &Path) const {
    if (Tool.Options.empty())
      return;
    const std::string Why = Tool.Options.find('\n') != std::string::npos
                                ? "options take no line break"
                                : Around.WhyNoOptions(Path, Tool.Options);
    if (!Why.empty())
      throw RunError("--tool " + Tool.Name + ":" + Tool.Options + ": " + Why +
                     "; luthier run --tool " + Tool.Name +
                     ":help explains its options");
  }

  void planDevice() {
    const std::string &Device = Options.Device;
    if (Device == "native") {
      if (!Around.HasGPU)
        throw RunError("--device native: this machine has no AMD GPU that can "
                       "be used (" +
                       Around.WhyNoGPU + "); --device emulated needs none");
      return;
    }
    if (Device.empty()) {
      if (Around.HasGPU)
        return;
      std::string Name = Around.Variable("LUTHIER_EMULATED_GPU")
                             .value_or(DefaultEmulatedDevice);
      emulate(Name);
      Result.Notes.push_back("this machine has no AMD GPU that can be used (" +
                             Around.WhyNoGPU + "); using the emulated " + Name);
      return;
    }
    constexpr std::string_view Emulated = "emulated";
    if (Device == Emulated)
      return emulate(DefaultEmulatedDevice);
    if (Device.starts_with(Emulated) && Device[Emulated.size()] == ':')
      return emulate(Device.substr(Emulated.size() + 1));
    throw RunError("--device " + Device +
                   ": choose native, emulated or emulated:NAME with NAME one "
                   "of: " +
                   join(emulatedDevices()));
  }

  void checkEmulated(const std::string &Name) const {
    std::vector<std::string> Known = emulatedDevices();
    if (std::ranges::find(Known, Name) == Known.end())
      throw RunError("there is no emulated GPU '" + Name +
                     "'; available are: " + join(Known));
  }

  /// \p Names are separated by commas: one GPU for each.
  void emulate(const std::string &Names) {
    for (size_t From = 0; From <= Names.size();) {
      size_t Comma = std::min(Names.find(',', From), Names.size());
      checkEmulated(Names.substr(From, Comma - From));
      From = Comma + 1;
    }
    Preloaded.push_back(
        {libraryDirectory() + "/emulated", "libluthier-gpu.so"});
    set("LUTHIER_EMULATED_GPU", Names);
    // ROCr 6.4 then shares memory between processes by dmabufs, as 7 always
    // does; its default is an interface of AMD's driver package.
    constexpr const char *LegacySharing = "HSA_ENABLE_IPC_MODE_LEGACY";
    if (!Around.Variable(LegacySharing))
      set(LegacySharing, "0");
    Result.IsEmulated = true;
    if (!Options.Command.empty() && Around.IsStatic(Options.Command.front()))
      Result.Notes.push_back(Options.Command.front() +
                             " is statically linked, so it does not find the "
                             "emulated GPU; programs that it starts may");
    for (const auto &[Variable, Value] : Options.EmulatorSettings)
      set(Variable, Variable == StatsVariable    ? writable("--stats", Value)
                    : Variable == CountsVariable ? writable("--counts", Value)
                                                 : Value);
  }

  void planPreload() {
    if (Options.Tools.empty() && !Result.IsEmulated)
      return;
    // Tells the tools of the process's end where no exit handler runs, and
    // people of programs that lose the emulated GPU. First, as it was loaded
    // first: the calls of both are interposed.
    Preloaded.insert(
        Preloaded.begin(),
        {libraryDirectory() + "/luthier/preloaded", "libluthier-ends.so"});
    std::string Libraries;
    for (const auto &[Folder, Name] : Preloaded) {
      std::string Library = Folder + "/" + Name;
      // The loader separates the libraries by these, and knows no escape.
      if (Library.find_first_of(" :") != std::string::npos) {
        if (Folder.find_first_of(":;") != std::string::npos)
          throw RunError(
              "Luthier is installed in a folder with ':' or ';' in its "
              "path, from which no library can be preloaded: " +
              Around.Prefix);
        Library = Name;
        setInFront("LD_LIBRARY_PATH", Folder, ":");
      }
      Libraries += (Libraries.empty() ? "" : " ") + Library;
    }
    setInFront("LD_PRELOAD", Libraries, " ");
    // AddressSanitizer's shared runtime ends programs that preload anything but
    // itself. Later options are stronger, so the user's are.
    setInFront("ASAN_OPTIONS", "verify_asan_link_order=0", ":");
  }

  void setInFront(const std::string &Name, const std::string &Value,
                  const char *Separator) {
    for (auto &[Known, Others] : Result.Environment)
      if (Known == Name) {
        Others = Value + Separator + Others;
        return;
      }
    const std::string Others = Around.Variable(Name).value_or("");
    set(Name, Others.empty() ? Value : Value + Separator + Others);
  }

  void planOutput() {
    // Absolute, because the program may change its directory.
    if (!Options.Output.empty()) {
      Result.OutputDirectory = absolute(Options.Output, Around);
      return set("LUTHIER_OUTPUT", Result.OutputDirectory);
    }
    const std::string Given = Around.Variable("LUTHIER_OUTPUT").value_or("");
    const std::string Folder =
        Given.empty() ? Around.CurrentDirectory : absolute(Given, Around);
    set("LUTHIER_OUTPUT", Folder);
    // Not every tool writes files.
    if (Options.Tools.empty())
      return;
    if (const std::string Why = Around.WhyNoFilesIn(Folder); !Why.empty())
      Result.Notes.push_back("tools cannot write files into " + Folder +
                             (Given.empty() ? " (" : ", LUTHIER_OUTPUT (") +
                             Why + "); --output names another folder");
  }

  /// Results are not to be lost in the end for lack of a folder.
  std::string writable(const char *Option, const std::string &Path) const {
    const std::string Whole = absolute(Path, Around);
    if (const std::string Why = Around.WhyNotWritable(Whole); !Why.empty())
      throw RunError(std::string(Option) + " " + Path + ": " + Why);
    return Whole;
  }

  std::string libraryDirectory() const { return Around.Prefix + "/lib"; }

  const RunOptions &Options;
  const Surroundings &Around;
  RunPlan Result;
  std::vector<std::pair<std::string, std::string>> Preloaded; ///< Folder, name.
};

} // namespace

/// Options begin behind the first colon that a key follows, so that paths may
/// have colons: "help" and "key=value,..." are options, "x/lib.so" is none.
GivenTool::GivenTool(const std::string &Text) : Name(Text) {
  for (size_t Colon = Text.find(':'); Colon != std::string::npos;
       Colon = Text.find(':', Colon + 1)) {
    constexpr std::string_view Letters = "abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789-_";
    const size_t End = Text.find_first_not_of(Letters, Colon + 1);
    if (End != std::string::npos && Text[End] != '=' && Text[End] != ',')
      continue;
    Name = Text.substr(0, Colon);
    Options = Text.substr(Colon + 1);
    return;
  }
}

std::string findTool(const std::string &Tool, const Surroundings &Around) {
  if (Tool.find('/') != std::string::npos) {
    std::string Path = absolute(Tool, Around);
    if (!Around.FileExists(Path))
      throw RunError("there is no tool '" + Tool + "'");
    if (Path.find(':') != std::string::npos)
      throw RunError("the path of a tool cannot contain ':': " + Path);
    if (const std::string Why = Around.WhyNoTool(Path); !Why.empty())
      throw RunError(Tool + " is not a Luthier tool: " + Why);
    return Path;
  }
  // The name that scramble had before.
  const std::string Name = Tool == "poison" ? "scramble" : Tool;
  std::string Path = toolDirectory(Around.Prefix) + "/lib" + Name + ".so";
  if (Around.FileExists(Path))
    return Path;
  std::vector<std::string> Known = Around.InstalledTools();
  throw RunError("unknown tool '" + Tool + "'; " +
                 (Known.empty()
                      ? "none is installed in " + toolDirectory(Around.Prefix)
                      : "available are: " + join(Known)) +
                 " (a path such as ./libmytool.so also works)");
}

std::string judgingTool(const Surroundings &Around) {
  const std::vector<std::string> Known = Around.InstalledTools();
  const bool CanScramble = std::ranges::find(Known, "scramble") != Known.end();
  return CanScramble ? "scramble" : "instr-count";
}

std::string toolDirectory(const std::string &Prefix) {
  return Prefix + "/lib/luthier/tools";
}

RunOptions parseRunArguments(const std::vector<std::string> &Arguments,
                             std::string *Timeout) {
  RunOptions Options;
  size_t I = 0;
  // "--name VALUE" and "--name=VALUE".
  auto TakeValue = [&](std::string_view Name, std::string &Value) {
    const std::string &Argument = Arguments[I];
    if (!Argument.starts_with(Name))
      return false;
    if (Argument.size() > Name.size()) {
      if (Argument[Name.size()] != '=')
        return false;
      Value = Argument.substr(Name.size() + 1);
    } else if (I + 1 < Arguments.size()) {
      Value = Arguments[++I];
    } else {
      throw RunError(Argument + " needs a value");
    }
    if (Value.empty())
      throw RunError(std::string(Name) + " needs a value");
    return true;
  };

  for (; I < Arguments.size() && Arguments[I].starts_with('-'); ++I) {
    std::string Tool, Setting;
    if (Arguments[I] == "--") {
      ++I;
      break;
    }
    if (Arguments[I] == "--help" || Arguments[I] == "-h") {
      Options.Help = true;
      return Options;
    }
    if (Arguments[I] == "--no-cache") {
      Options.EngineSettings.emplace_back("LUTHIER_CACHE_SIZE", "0");
      continue;
    }
    constexpr const char *StrictVariable = "LUTHIER_EMULATOR_STRICT";
    // Alone it asks for all checks, so the next argument is not its value.
    if (Arguments[I] == "--strict") {
      Options.EmulatorSettings.emplace_back(StrictVariable, "1");
      continue;
    }
    if (Arguments[I].starts_with("--strict=") &&
        TakeValue("--strict", Setting)) {
      checkStrict(Setting);
      Options.EmulatorSettings.emplace_back(StrictVariable, Setting);
      continue;
    }
    if (Arguments[I] == "--fail-if-unchanged") {
      Options.FailIfUnchanged = true;
      continue;
    }
    const size_t Before = I;
    auto Filter =
        std::ranges::find_if(runtime::FilterOptions, [&](const auto &Row) {
          return TakeValue(Row.Name, Setting);
        });
    if (Filter != std::end(runtime::FilterOptions)) {
      if (isFilter(*Filter, Setting)) {
        addFilter(Options, *Filter, Setting);
        continue;
      }
      I = Before;
    }
    auto Engines = std::ranges::find_if(EngineOptions, [&](const auto &Row) {
      return TakeValue(Row.Name, Setting);
    });
    if (Engines != std::end(EngineOptions)) {
      if (!Engines->Values.empty() &&
          std::ranges::find(Engines->Values, Setting) == Engines->Values.end())
        throw RunError(std::string(Engines->Name) + " " + Setting +
                       ": choose one of: " + join(Engines->Values));
      Options.EngineSettings.emplace_back(Engines->Variable, Setting);
      continue;
    }
    auto Known = std::ranges::find_if(EmulatorOptions, [&](const auto &Row) {
      return TakeValue(Row.Name, Setting);
    });
    if (Known != std::end(EmulatorOptions)) {
      check(*Known, Setting);
      Options.EmulatorSettings.emplace_back(Known->Variable, Setting);
    } else if (TakeValue("--tool", Tool)) {
      if (const GivenTool Given(Tool); Given.asksForHelp()) {
        Options.HelpOfTool = Given.Name;
        return Options;
      }
      Options.Tools.push_back(std::move(Tool));
    } else if (Timeout && TakeValue("--timeout", *Timeout)) {
      if (Timeout->find_first_not_of("0123456789") != std::string::npos)
        throw RunError("--timeout needs a number of seconds");
    } else if (!TakeValue("--device", Options.Device) &&
               !TakeValue("--output", Options.Output)) {
      throw RunError("unknown option '" + Arguments[I] + "'");
    }
  }
  Options.Command.assign(Arguments.begin() + static_cast<ptrdiff_t>(I),
                         Arguments.end());
  if (Options.Command.empty())
    throw RunError("no program to run was given");
  return Options;
}

RunPlan planRun(const RunOptions &Options, const Surroundings &Around) {
  return Planner(Options, Around).plan();
}

} // namespace luthier::cli
