// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a command's arguments against a table of its options. Not LLVM's
// cl::opt: libLLVM registers hundreds of its own there.
#ifndef LUTHIER_CLI_ARGUMENTS_H
#define LUTHIER_CLI_ARGUMENTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace luthier::cli {

struct OptionSpec {
  std::string_view Name; ///< With the dashes.
  bool TakesValue = false;
  /// A value may follow behind "=" only; without it the value is empty.
  bool ValueOptional = false;
  /// May come several times.
  bool Repeats = false;
};

class Arguments {
public:
  /// \p Argv[0] names the command. Says on stderr what is wrong and returns
  /// nothing if an option is not in \p Options, lacks its value, has one it
  /// does not take, or comes twice. Everything behind "--" is positional.
  static std::optional<Arguments> parse(int Argc, char **Argv,
                                        const std::vector<OptionSpec> &Options);

  bool has(std::string_view Option) const { return value(Option) != nullptr; }
  /// Null if not given; the empty string for an option without a value.
  const std::string *value(std::string_view Option) const;
  /// All values of an option that repeats.
  std::vector<std::string> values(std::string_view Option) const;
  const std::vector<std::string> &positional() const { return Positional; }

  /// The only positional argument. Says what is wrong if there is none, calling
  /// it \p What, or more than one.
  const std::string *single(std::string_view What) const;

private:
  struct Given {
    std::string Name, Value;
  };
  std::string Command;
  std::vector<Given> Options;
  std::vector<std::string> Positional;
};

/// A command line that holds other commands, each behind "--".
struct CommandParts {
  int OwnCount; ///< Of words before the first "--".
  std::vector<std::vector<std::string>> Others;
};
/// Of more than \p MaxOthers, the last keeps its "--".
CommandParts splitAtDashes(int Argc, char **Argv, size_t MaxOthers = SIZE_MAX);

} // namespace luthier::cli

#endif // LUTHIER_CLI_ARGUMENTS_H
