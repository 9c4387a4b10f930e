// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instrumentation stack: private memory above what the application may use,
// in the same place at every point, since no two payloads run at once.
#ifndef LUTHIER_REWRITE_PLAN_STACKPLAN_H
#define LUTHIER_REWRITE_PLAN_STACKPLAN_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace luthier {

struct StackPlan {
  static constexpr unsigned Alignment = 16, SlotSize = 4;
  /// Slots, in bytes from Base: the state value array between points, what its
  /// register holds of the application's while a payload runs, work-item ids,
  /// scalar registers put aside, the one in whose place the address of these
  /// slots is (StackAccess.h), wave counters between points, in their VGPRs'
  /// lanes, then vector registers.
  static constexpr unsigned State = 0, Displaced = 4, WorkItemIds = 8,
                            Scalars = 12, Address = 16, Counters = 20;
  /// Of scratch instructions on every target.
  static constexpr unsigned MaxOffset = 2047;

  /// What the application may use, in bytes per lane.
  unsigned Base = 0;
  /// Slots for counters and for vector registers, and the largest frame of a
  /// payload.
  unsigned NumCounters = 0, NumVectors = 0, PayloadSize = 0;
  /// What payloads' frames want: where LLVM puts vectors there, it adds
  /// offsets with OR.
  unsigned PayloadAlign = Alignment;
  bool IsUsed = false;

  static unsigned counterSlot(unsigned N) { return Counters + N * SlotSize; }
  unsigned vectorSlot(unsigned N) const { return counterSlot(NumCounters + N); }
  unsigned maxVectors() const {
    return (MaxOffset + 1 - vectorSlot(0)) / SlotSize;
  }
  /// Where payloads' own frames begin.
  unsigned frame() const {
    return llvm::alignTo(Base + vectorSlot(NumVectors), PayloadAlign);
  }
  /// Bytes per lane in all; 0 if nobody uses any.
  unsigned total() const {
    return IsUsed ? llvm::alignTo(frame() + PayloadSize, Alignment) : 0;
  }
};

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_STACKPLAN_H
