// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that a load which was issued before may still write. Hardware does
// so without regard to what happened to the register since: code may use such a
// register, dead or not, only after waiting for the load.
#ifndef LUTHIER_ANALYSIS_LOADSINFLIGHT_H
#define LUTHIER_ANALYSIS_LOADSINFLIGHT_H

#include "analysis/InsertionPoint.h"
#include "analysis/RegisterSet.h"
#include "analysis/WaitCounters.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace luthier {

class LoadsInFlight {
public:
  static LoadsInFlight run(const LiftedRepresentation &LR);

  /// The weakest waits after which no load writes any of \p Registers, for code
  /// at \p Where. Operations that were inserted before that point only make
  /// them stricter than they would have to be.
  WaitCounts waitsAt(const InsertionPoint &Where,
                     const RegisterSet &Registers) const;

  const WaitTraits &traits() const { return *Traits; }

  /// Registers that a load may write where control enters \p MBB, and before
  /// each of its instructions, in their order.
  RegisterSet registersAtStart(const llvm::MachineBasicBlock &MBB) const;
  std::vector<RegisterSet>
  registersIn(const llvm::MachineBasicBlock &MBB) const;

  /// A load into one register that is outstanding.
  struct Pending {
    uint16_t Unit;
    /// Operations issued since that cannot be done before it is. With so many
    /// outstanding, it is done.
    uint8_t Younger;
    friend bool operator==(const Pending &, const Pending &) = default;
  };
  /// One counter's loads.
  struct Queue {
    std::vector<Pending> InOrder; ///< By unit.
    RegisterSet Unordered;        ///< Done only when nothing is outstanding.
    friend bool operator==(const Queue &, const Queue &) = default;
  };
  using State = std::array<Queue, NumWaitCounters>;

private:
  /// \p MBB may be null.
  const State &atStart(const llvm::MachineBasicBlock *MBB) const;
  State stateBefore(const llvm::MachineInstr &MI) const;

  /// The place of a state that is like \p S.
  unsigned keep(State S);
  const State &unknown() const { return States.front(); }

  const WaitTraits *Traits = nullptr;
  /// Of which there are few: states are large, and most blocks begin like
  /// another one. The first one is what is taken of places nothing is known of.
  std::vector<State> States;
  llvm::DenseMap<uint64_t, unsigned> Known; ///< By hash.
  llvm::DenseMap<const llvm::MachineBasicBlock *, unsigned> Starts;
  /// What is in flight after a call, by call; unknown for the others.
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> AfterCalls;
  friend class LoadsInFlightSolver;
  friend class LoadsWalk;
};

/// Registers that a load may write while code at some point runs.
class RegistersInFlight {
public:
  static RegistersInFlight run(const LiftedRepresentation &LR);

  const RegisterSet &at(const InsertionPoint &Where) const;

private:
  RegisterSet Everything = RegisterSet::all();
  llvm::DenseMap<const llvm::MachineBasicBlock *, RegisterSet> Starts;
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> Index;
  std::vector<RegisterSet> Sets; ///< None is like the one before it.
};

/// waitsAt() for many points: quickest as long as each is behind the last one.
/// Refers to the facts.
class LoadsWalk {
public:
  explicit LoadsWalk(const LoadsInFlight &Facts) : Facts(Facts) {}
  WaitCounts waitsAt(const InsertionPoint &Where, const RegisterSet &Registers);

private:
  bool advanceTo(const llvm::MachineInstr &MI);
  void goTo(const llvm::MachineInstr &MI);
  void keepStates(const llvm::MachineBasicBlock &MBB);

  const LoadsInFlight &Facts;
  const llvm::MachineInstr *At = nullptr;
  LoadsInFlight::State S; ///< Before At.
  llvm::DenseSet<const llvm::MachineBasicBlock *> Entered;
  /// Before some instructions of the blocks that were asked for in another
  /// order, the first among them.
  llvm::DenseMap<const llvm::MachineInstr *, LoadsInFlight::State> Kept;
};

/// The code, with what loads may still write before each instruction.
void printLoadsInFlight(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_LOADSINFLIGHT_H
