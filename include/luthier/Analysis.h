// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Luthier knows about a kernel, for tools: where registers are needed,
// which loads are outstanding, what the kernel takes of a compute unit. Calls
// between functions are in LiftedRepresentation::controlTransfers().
#ifndef LUTHIER_ANALYSIS_H
#define LUTHIER_ANALYSIS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/RegisterSet.h"
#include <memory>

namespace llvm {
class MachineBasicBlock;
}

namespace luthier {

/// One past the highest register of each file.
struct RegisterUse {
  unsigned SGPRs = 0, VGPRs = 0, AGPRs = 0;
};

/// How many waves are on a SIMD at once.
struct Occupancy {
  enum LimitType { Waves, VGPRs, SGPRs, LDS };
  unsigned WavesPerSIMD = 0; ///< Zero if not even one fits.
  LimitType Limit = Waves;   ///< What there is too little of for one more.
};

/// Facts about \p LR as it was when each kind was first asked for: make a new
/// one after editing code. Not thread-safe. Refers to \p LR.
class LUTHIER_API Analysis {
public:
  explicit Analysis(const LiftedRepresentation &LR);
  ~Analysis();
  Analysis(Analysis &&);

  /// Registers whose value the application still needs just before \p MI, in
  /// any lane. Everything, for an instruction that was not there.
  const RegisterSet &liveBefore(const llvm::MachineInstr &MI);
  /// Where control goes from one block to another.
  const RegisterSet &liveOnEdge(const llvm::MachineBasicBlock &From,
                                const llvm::MachineBasicBlock &To);
  /// Registers that a load issued before \p MI may still write.
  const RegisterSet &inFlightBefore(const llvm::MachineInstr &MI);
  /// Registers up to registerUse() that are neither live nor in flight.
  RegisterSet deadAt(const llvm::MachineInstr &MI);

  /// False for data and dead code between functions' ends.
  bool isReached(const llvm::MachineBasicBlock &MBB);

  /// Registers that the kernel and its functions may touch; all that are
  /// allocated if it runs code that is not lifted.
  RegisterUse registerUse();
  /// As the kernel is, in workgroups of the largest size that it allows.
  Occupancy occupancy();

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_H
