// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks take, found in their IR before registers are planned.
#ifndef LUTHIER_HOOK_IR_HOOKNEEDS_H
#define LUTHIER_HOOK_IR_HOOKNEEDS_H

#include "hook/KeptNumbers.h"
#include "hook/PayloadABI.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <set>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace luthier {

/// Of one module; see luthier::detail::laneCount.
inline constexpr unsigned MaxLaneCounters = 8;

/// What compiling hooks will take, known before there is a PayloadABI. Never
/// less than what the payloads come to report.
struct HookNeeds {
  uint64_t StateValues = 0; ///< stateBit() of each.
  bool State = false;
  bool WorkItemIds = false;
  bool FirstWorkItem =
      false; ///< Those of one, unless the kernel keeps Numbers.
  bool Stack = false;
  bool Float = false;
  uint32_t HiddenArguments = 0; ///< hiddenBit() of each.
  unsigned LdsBytes = 0, LdsAlign = 1;
  KeptNumbers Numbers;
  unsigned Accumulators = 0; ///< Wave counters, wherever they are kept.
  unsigned LaneCounters = 0; ///< One more than the highest number.
  std::set<unsigned> Named;  ///< Numbers of registers that hooks name.

  /// Adds another module's needs; returns where that module's memory and
  /// counters come to lie, for PayloadABI::Module.
  ModuleLayout add(const HookNeeds &Module);
};

/// What payload \p F takes, but for shared memory and counters, which payloads
/// have in common.
HookNeeds needsOf(llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_HOOKNEEDS_H
