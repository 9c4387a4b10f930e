// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Luthier knows about a kernel, for tools: where registers are needed,
// which loads are outstanding, who calls whom, what the kernel takes of a
// compute unit.
#ifndef LUTHIER_ANALYSIS_H
#define LUTHIER_ANALYSIS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/RegisterSet.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
} // namespace llvm

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

/// What comes after a block's last instruction.
enum class BlockEnd {
  Successors, ///< The block's successors, and nothing else.
  Program,    ///< The wave ends.
  Return,
  TailCall,
  UnknownJump, ///< Code that is not lifted.
  /// What lies behind the function in memory. So do blocks of data.
  RunsOn,
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
  const RegisterSet &inFlightOnEdge(const llvm::MachineBasicBlock &From,
                                    const llvm::MachineBasicBlock &To);
  /// Registers up to registerUse() that are neither live nor in flight.
  RegisterSet deadAt(const llvm::MachineInstr &MI);

  /// False for data and dead code between functions' ends.
  bool isReached(const llvm::MachineBasicBlock &MBB);
  /// How control leaves \p MBB, if not for its successors.
  BlockEnd endOf(const llvm::MachineBasicBlock &MBB);

  /// Calls, tail calls, returns and jumps to unknown places of \p MF, in the
  /// order of the code. Valid as long as this object, like all lists here.
  llvm::ArrayRef<const ControlTransfer *>
  transfersOf(const llvm::MachineFunction &MF);
  /// Calls and tail calls of \p MF by its name in lifted code. Where its
  /// address is taken, lifted code may also call it through pointers. Code that
  /// is not lifted calls the original.
  llvm::ArrayRef<const ControlTransfer *>
  callersOf(const llvm::MachineFunction &MF);
  /// All functions, each after those that it calls, as far as recursion allows:
  /// the order in which to sum up what functions do.
  llvm::ArrayRef<const llvm::MachineFunction *> calleesFirst();
  /// \p MF, or a function that it calls directly or through others, may leave
  /// the lifted code, for code that runs without hooks: it has an unresolved
  /// call or jump.
  bool reachesUnknownCode(const llvm::MachineFunction &MF);

  /// Registers that the kernel and its functions may touch; all that are
  /// allocated if it runs code that is not lifted.
  RegisterUse registerUse();
  /// Registers that its descriptor allocates.
  RegisterUse registerAllocation();
  /// As the kernel is, in workgroups of the largest size that it allows.
  Occupancy occupancy();
  /// The most registers with which each file holds \p WavesPerSIMD waves,
  /// whatever the others and LDS allow: zero SGPRs and VGPRs if a SIMD never
  /// holds so many. AGPRs are those of registerAllocation().
  RegisterUse registersFor(unsigned WavesPerSIMD);
  /// Waves that each SIMD must hold so that the largest workgroup that the
  /// kernel allows can be launched: registersFor() them is the most that a
  /// kernel may take.
  unsigned wavesOfWorkgroup();

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_H
