// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dispatches the user wants tools to see, as `luthier run` and `verify`
// check it and the runtime reads it from the environment. Uses no LLVM:
// `luthier` does not load it.
#ifndef LUTHIER_RUNTIME_FILTERSETTINGS_H
#define LUTHIER_RUNTIME_FILTERSETTINGS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace luthier::runtime {

struct FilterOption {
  std::string_view Name; ///< Of the command line.
  const char *Variable;
};
inline constexpr FilterOption FilterOptions[] = {
    {"--kernel", "LUTHIER_KERNEL"},     {"--device", "LUTHIER_DEVICE"},
    {"--launches", "LUTHIER_LAUNCHES"}, {"--every", "LUTHIER_EVERY"},
    {"--process", "LUTHIER_PROCESS"},   {"--workgroups", "LUTHIER_WORKGROUPS"},
};

struct FilterSettings {
  /// Both ends belong to it.
  struct Range {
    uint64_t First, Last;
  };

  std::string Kernel;             ///< A NamePattern; empty for all.
  std::optional<unsigned> Device; ///< Number of the GPU, from 0 on.
  std::vector<Range> Launches;    ///< Empty for all.
  uint64_t Every = 1;
  std::string Process; ///< Empty for all.
  /// Of each dispatch that tools see, those that hooks run in; not a matter of
  /// which these are.
  std::optional<Range> Workgroups;

  /// Of dispatches; a process runs all of its own or none.
  bool any() const {
    return !Kernel.empty() || Device || !Launches.empty() || Every != 1;
  }

  /// Takes \p Value of the option \p Name; says what is wrong with it, or
  /// nothing.
  std::string set(std::string_view Name, const std::string &Value);

  /// From the variables of the environment. \p Warn hears of values that mean
  /// nothing, which are left out.
  static FilterSettings
  read(const std::function<const char *(const char *)> &Variable,
       const std::function<void(const std::string &)> &Warn);
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_FILTERSETTINGS_H
