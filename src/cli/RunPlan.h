// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `luthier run` is about to do, worked out before anything is done: from
// arguments and surroundings to an environment and a command. Pure, so that
// tests need no GPU and start no program.
#ifndef LUTHIER_CLI_RUNPLAN_H
#define LUTHIER_CLI_RUNPLAN_H

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace luthier::cli {

struct RunOptions {
  std::vector<std::string> Tools; ///< As given: see GivenTool.
  std::string Device;             ///< Empty: whatever is there.
  std::string Output;             ///< Empty: the current directory.
  /// Variables and values of what tools get to see.
  std::vector<std::pair<std::string, std::string>> Filters;
  /// Variables and values of the engine.
  std::vector<std::pair<std::string, std::string>> EngineSettings;
  /// Variables and values of the emulated GPU.
  std::vector<std::pair<std::string, std::string>> EmulatorSettings;
  std::vector<std::string> Command;
  bool FailIfUnchanged = false;
  /// The tool whose options are to be listed, instead of running anything.
  std::string HelpOfTool;
  bool Help = false;
};

/// The GPU that is emulated if nobody names one.
inline constexpr const char *DefaultEmulatedDevice = "gfx90a";

/// Something the user asked for cannot be done; what() says what and what would
/// work. Nothing has been changed then.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \p Arguments come after "run". \p Timeout is for the commands that have
/// such an option: seconds as given, or empty. Throws RunError.
RunOptions parseRunArguments(const std::vector<std::string> &Arguments,
                             std::string *Timeout = nullptr);

/// What the plan depends on besides the options.
struct Surroundings {
  std::string Prefix;           ///< Above bin/ and lib/.
  std::string CurrentDirectory; ///< Absolute.
  bool HasGPU = false;          ///< The kernel driver can be used.
  std::string WhyNoGPU = "/dev/kfd is missing";
  std::string Time; ///< Nanoseconds since 1970, as files are dated.
  std::function<bool(const std::string &Path)> FileExists;
  /// Whether a program, as a shell finds it, takes no preloaded library.
  std::function<bool(const std::string &Program)> IsStatic;
  /// Why a file that is there can be no tool; empty if it may be one.
  std::function<std::string(const std::string &Path)> WhyNoTool;
  /// Why a tool does not take such options; empty if it does.
  std::function<std::string(const std::string &Path,
                            const std::string &Options)>
      WhyNoOptions;
  /// Why a file cannot be written; empty if it can be.
  std::function<std::string(const std::string &Path)> WhyNotWritable;
  /// Why no files can be made in a folder, which is made for that; empty if
  /// they can.
  std::function<std::string(const std::string &Folder)> WhyNoFilesIn;
  /// Names of the installed tools, sorted.
  std::function<std::vector<std::string>()> InstalledTools;
  std::function<std::optional<std::string>(const std::string &Name)> Variable;
};

struct RunPlan {
  std::vector<std::pair<std::string, std::string>> Environment;
  std::string OutputDirectory;    ///< To be created; may be empty.
  std::vector<std::string> Notes; ///< To be said on stderr.
  bool IsEmulated = false;
};

/// Throws RunError.
RunPlan planRun(const RunOptions &Options, const Surroundings &Around);

/// A tool as it is given: NAME|PATH[:OPTIONS].
struct GivenTool {
  std::string Name;    ///< Or path.
  std::string Options; ///< Empty if there are none.

  explicit GivenTool(const std::string &Text);
  bool asksForHelp() const { return Options == "help"; }
};

/// The file of a tool that was named by its name or its path. Throws RunError.
std::string findTool(const std::string &Tool, const Surroundings &Around);

/// The tool that `luthier verify` takes if none is named.
std::string judgingTool(const Surroundings &Around);

/// Where the tools of an installation are.
std::string toolDirectory(const std::string &Prefix);

} // namespace luthier::cli

#endif // LUTHIER_CLI_RUNPLAN_H
