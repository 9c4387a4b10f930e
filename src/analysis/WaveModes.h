// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a wave in which instructions do something else than they say, or
// may not stand at all.
#ifndef LUTHIER_ANALYSIS_WAVEMODES_H
#define LUTHIER_ANALYSIS_WAVEMODES_H

#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"

namespace luthier {

/// "May be" on some way to an instruction counts as "is".
struct WaveModes {
  bool Indexed = false;     ///< Vector operands are offset by M0.
  bool Skips = false;       ///< Vector instructions do nothing.
  bool Deallocated = false; ///< There are no vector registers any more.
  /// On some way there still are: tells "surely" from "may be" above.
  bool Allocated = false;

  bool any() const { return Indexed || Skips || Deallocated; }
  /// Whether that added anything.
  bool join(const WaveModes &Other);
};

/// s_sendmsg that gives a wave's vector registers back, since gfx11.
bool deallocatesVGPRs(const llvm::MachineInstr &MI);

/// Modes are handed to functions that are called, and back.
class WaveModeTracker {
public:
  static WaveModeTracker run(const LiftedRepresentation &LR);

  WaveModes atEntry(const llvm::MachineBasicBlock &MBB) const {
    return Entry.lookup(&MBB);
  }
  /// From before \p MI to behind it.
  void step(const llvm::MachineInstr &MI, WaveModes &Modes) const;

private:
  WaveModeTracker() = default;
  bool enter(const llvm::MachineFunction &MF, bool IsKernel);

  /// At some call, return or jump elsewhere.
  WaveModes AtTransfers;
  llvm::DenseMap<const llvm::MachineBasicBlock *, WaveModes> Entry;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_WAVEMODES_H
