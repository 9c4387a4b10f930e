// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the kernels of a device executed each of their instructions: the
// independent figure for tools that tell instructions apart.
#ifndef LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H
#define LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H

#include "emulator/core/Observer.h"
#include "emulator/exec/Dispatch.h"
#include "emulator/exec/ExecutionCounts.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
}

namespace luthier::emulator {

/// Thread-safe.
class InstructionCounts {
public:
  /// Counts \p D, with \p Inner (which may be null) as its other observer. What
  /// it has counted is here when it is destroyed. \p D has to outlive it.
  std::unique_ptr<DispatchObserver>
  observer(const Dispatch &D, std::unique_ptr<DispatchObserver> Inner);

  /// A row for each kernel, sorted by name.
  void writeRows(llvm::json::OStream &Json, unsigned Device) const;

private:
  void add(const Dispatch &D, const ExecutionCounts &Counts);

  /// By distance from Dispatch::CodeBase.
  using OfKernel = std::map<uint64_t, ExecutionCounts::Count>;
  mutable std::mutex Mutex;
  std::map<std::string, OfKernel> Kernels;
};

/// {"kernels":[{"name","device","instructions":[[address,waves,lanes]]}]}: the
/// lanes are those that were active, of scalar instructions, too.
std::string
instructionCountsJson(const std::vector<const InstructionCounts *> &Devices);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_INSTRUCTIONCOUNTS_H
