// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which dispatches tools see.
#ifndef LUTHIER_RUNTIME_DISPATCHFILTER_H
#define LUTHIER_RUNTIME_DISPATCHFILTER_H

#include "codeobject/NamePattern.h"
#include "luthier/Kernel.h"
#include "runtime/FilterSettings.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <mutex>

namespace luthier::runtime {

/// Thread-safe.
class DispatchFilter {
public:
  /// Number of an agent among the GPUs; none if it is none of them.
  using DeviceNumber = std::function<std::optional<unsigned>(hsa_agent_t)>;

  /// \p ProcessNames are those that this process goes by.
  DispatchFilter(FilterSettings Settings, DeviceNumber NumberOf,
                 const std::vector<std::string> &ProcessNames);

  /// Whether tools are to see a dispatch of \p Kernel that is on its way.
  /// Counts it.
  bool admits(const hsa::LoadedCodeObjectKernel &Kernel);

  /// Whether it is only other processes that tools are to see.
  bool isForOthers() const { return IsOtherProcess; }

  /// Once there are no more dispatches: that none was admitted, and what might
  /// have been meant; else "".
  std::string complaint() const;

private:
  struct Row {
    bool IsWanted = false; ///< By its name.
    uint64_t Launches = 0; ///< On wanted devices.
    uint64_t Selected = 0; ///< By --launches.
  };

  bool isWanted(llvm::StringRef Name) const;
  bool isInRange(uint64_t Launch) const;
  std::string kernelsLaunched() const;

  const FilterSettings Settings;
  const DeviceNumber NumberOf;
  const std::string ThisProcess;
  const bool IsOtherProcess;
  std::unique_ptr<NamePattern> Pattern; ///< Null for all.

  mutable std::mutex Lock;
  llvm::StringMap<Row> Rows; ///< By the kernel's symbol.
  uint64_t Seen = 0, Admitted = 0;
};

std::unique_ptr<DispatchFilter> filterOfThisProcess(FilterSettings Settings);
/// What the environment asks for, in this process.
std::unique_ptr<DispatchFilter> filterOfEnvironment();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_DISPATCHFILTER_H
