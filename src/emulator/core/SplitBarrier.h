// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup's barrier that its waves signal and wait for in two steps.
#ifndef LUTHIER_EMULATOR_CORE_SPLITBARRIER_H
#define LUTHIER_EMULATOR_CORE_SPLITBARRIER_H

#include <cstdint>

namespace luthier::emulator {

/// One host thread runs all waves of a workgroup.
class SplitBarrier {
public:
  void start(unsigned NumMembers) {
    *this = {};
    Members = NumMembers;
  }
  void signal() {
    ++Signals;
    settle();
  }
  /// A wave that has ended counts no longer.
  void leave() {
    --Members;
    settle();
  }
  unsigned numMembers() const { return Members; }
  unsigned numSignals() const { return Signals; }
  /// Times that all members have signalled.
  uint64_t numCompleted() const { return Completed; }

private:
  void settle() {
    if (!Signals || Signals < Members)
      return;
    Signals = 0;
    ++Completed;
  }

  unsigned Members = 0, Signals = 0;
  uint64_t Completed = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_SPLITBARRIER_H
