// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the kernels of a device executed each of their instructions: the
// independent figure for tools that tell instructions apart.
#ifndef LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H
#define LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H

#include "emulator/core/Observer.h"
#include "emulator/cp/Statistics.h"
#include "emulator/exec/ExecutionCounts.h"
#include "emulator/exec/LaunchPlan.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace llvm::json {
class OStream;
}

namespace luthier::emulator {

/// Thread-safe.
class InstructionCounts {
public:
  /// Counts the dispatch of \p Plan, with \p Inner (which may be null) as its
  /// other observer. What it has counted is here when it is destroyed. The
  /// dispatch has to outlive it.
  std::unique_ptr<DispatchObserver>
  observer(const LaunchPlan &Plan, std::unique_ptr<DispatchObserver> Inner);

  /// A row for each kernel of each code object, sorted by name.
  void writeRows(llvm::json::OStream &Json, unsigned Device) const;

private:
  /// Its name, and its code object's digest (LoadedElf.h).
  using Kernel = std::pair<std::string, std::string>;
  void add(const Kernel &K, uint64_t CodeBase, const ExecutionCounts &Counts);

  /// By distance from Dispatch::CodeBase.
  using OfKernel = std::map<uint64_t, ExecutionCounts::Count>;
  mutable std::mutex Mutex;
  std::map<Kernel, OfKernel> Kernels;
};

/// {"process","ended","kernels":[{"name","device","code",
/// "instructions":[[address,waves,lanes]]}]}
/// with the digest of the code object, which is empty where there is none. The
/// lanes are those that were active, of scalar instructions, too.
std::string
instructionCountsJson(const std::vector<const InstructionCounts *> &Devices,
                      const ReportOrigin &Origin = {});

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H
