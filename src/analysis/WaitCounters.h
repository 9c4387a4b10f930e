// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of outstanding memory operations, and what instructions do to them.
// Generations 9 to 11 have few counters that several kinds of operations share;
// generation 12 has one for each kind.
#ifndef LUTHIER_ANALYSIS_WAITCOUNTERS_H
#define LUTHIER_ANALYSIS_WAITCOUNTERS_H

#include "amdgpu/TargetTraits.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include <array>
#include <cstdint>
#include <optional>

namespace llvm {
class MachineInstr;
}

namespace luthier {

enum class WaitCounter : uint8_t {
  Vm,     ///< vmcnt; loadcnt on gfx12.
  Lgkm,   ///< lgkmcnt; dscnt on gfx12.
  Exp,    ///< expcnt.
  Km,     ///< kmcnt: scalar loads and messages. gfx12 only, as are those below.
  Sample, ///< samplecnt.
  Bvh,    ///< bvhcnt.
};
inline constexpr unsigned NumWaitCounters = 6;

/// Of the processors that can be lifted.
const WaitTraits &waitTraits(const llvm::MCSubtargetInfo &ST);

struct CounterWait {
  WaitCounter Counter;
  /// At most so many operations are outstanding afterwards.
  unsigned Count;
};

/// What \p MI waits for.
llvm::SmallVector<CounterWait, 3> waitsOf(const llvm::MachineInstr &MI,
                                          const WaitTraits &Traits);

/// Count to wait for, by counter; unset where nothing is needed.
using WaitCounts = std::array<std::optional<unsigned>, NumWaitCounters>;

/// The operand of an s_waitcnt that makes \p Counts, or stricter ones where a
/// field cannot say it. Not where counters are split.
unsigned encodeWaits(const WaitCounts &Counts, const WaitTraits &Traits);

/// How \p MI is counted.
struct CountedOperation {
  /// Counters that go down when it is done; its results can be late until each
  /// of them says so.
  llvm::SmallVector<WaitCounter, 2> Counters;
  /// Operations of the first counter that were issued before are done before,
  /// if they are in order too.
  bool IsInOrder = false;
};
CountedOperation countedOperation(const llvm::MachineInstr &MI,
                                  const WaitTraits &Traits);

/// "vmcnt", or "loadcnt" where counters are split.
const char *nameOf(WaitCounter Counter, const WaitTraits &Traits);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_WAITCOUNTERS_H
