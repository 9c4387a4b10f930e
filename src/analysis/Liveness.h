// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers the application still needs, at every place. What is not
// live may be overwritten in every lane, active or not.
//
// A vector write changes active lanes only, so each register is followed twice:
// as far as lanes that are active at the place are concerned, and for all other
// lanes. Where EXEC is written the two mix, as far as the kind of write allows.
#ifndef LUTHIER_ANALYSIS_LIVENESS_H
#define LUTHIER_ANALYSIS_LIVENESS_H

#include "analysis/ExecMasks.h"
#include "analysis/InsertionPoint.h"
#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <vector>

namespace luthier {

/// What is read besides by the application's instructions: in lanes of any
/// kind, just before an instruction or where control enters a block.
class OtherReads {
public:
  /// Code at \p Where reads \p Registers.
  void add(const InsertionPoint &Where, const RegisterSet &Registers);
  bool empty() const { return Sets.empty(); }

  /// Nothing, where nothing was added.
  const RegisterSet &before(const llvm::MachineInstr &MI) const {
    return find(&MI);
  }
  const RegisterSet &atStart(const llvm::MachineBasicBlock &MBB) const {
    return find(&MBB);
  }

private:
  const RegisterSet &find(const void *Place) const {
    auto It = Index.find(Place);
    return It == Index.end() ? None : Sets[It->second];
  }

  RegisterSet None;
  /// Of instructions and blocks; most read what the one before does.
  llvm::DenseMap<const void *, unsigned> Index;
  std::vector<RegisterSet> Sets;
};

/// What any number of runs over the same code share.
struct LivenessBasis {
  explicit LivenessBasis(const LiftedRepresentation &LR);

  const LiftedRepresentation &LR;
  const CallGraph Graph;
  const EffectsTable Effects;
  const ExecMasks Masks;
};

class Liveness {
public:
  static Liveness run(const LivenessBasis &Basis,
                      const OtherReads &Others = OtherReads());
  static Liveness run(const LiftedRepresentation &LR) {
    return run(LivenessBasis(LR));
  }

  /// What code inserted at \p Where must keep.
  const RegisterSet &at(const InsertionPoint &Where) const;

private:
  RegisterSet Everything = RegisterSet::all();
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> Index;
  llvm::DenseMap<const llvm::MachineBasicBlock *, RegisterSet> Starts;
  std::vector<RegisterSet> Sets; ///< None is like the one before it.
};

class LivenessSolver;

/// The same of code that does not change meanwhile: only where it is asked for,
/// and quickest in the order of the code.
class LivenessOnDemand {
public:
  /// \p Basis must live on.
  explicit LivenessOnDemand(const LivenessBasis &Basis,
                            OtherReads Others = OtherReads());
  ~LivenessOnDemand();

  /// As Liveness has it. Stays where it is, until all is forgotten.
  const RegisterSet &at(const InsertionPoint &Where);
  /// What was asked for, which takes much memory.
  void forgetAsked() {
    Blocks = decltype(Blocks)();
    Starts = decltype(Starts)();
  }

  /// What is live where control enters \p MBB, and before each of its
  /// instructions, in their order. Takes as long each time.
  RegisterSet atStart(const llvm::MachineBasicBlock &MBB) const;
  std::vector<RegisterSet> in(const llvm::MachineBasicBlock &MBB) const;

private:
  struct Block {
    std::vector<RegisterSet> Sets; ///< Before each instruction.
    /// That was asked for last, and its place.
    const llvm::MachineInstr *Last = nullptr;
    unsigned LastIndex = 0;
    /// Places of all, once it has been asked in another order.
    llvm::DenseMap<const llvm::MachineInstr *, unsigned> Index;
  };
  Block &find(const llvm::MachineBasicBlock &MBB);
  static unsigned indexOf(const llvm::MachineInstr &MI, Block &In);

  RegisterSet Everything = RegisterSet::all();
  const OtherReads Others;
  std::unique_ptr<const LivenessSolver> Solver;
  llvm::DenseMap<const llvm::MachineBasicBlock *, Block> Blocks;
  llvm::DenseMap<const llvm::MachineBasicBlock *, std::unique_ptr<RegisterSet>>
      Starts;
};

/// The code, with what is live before each instruction.
void printLiveness(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_LIVENESS_H
