// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How EXEC compares, at each instruction, with what it was where the function
// was entered. Structured code takes lanes away and puts saved masks back:
//   s_and_saveexec_b64 s[4:5], vcc    within the entry's mask
//   ...
//   s_or_b64 exec, exec, s[4:5]       the entry's mask again
// so it never reaches lanes that were inactive when the function was entered,
// and where the mask is the entry's own there is nothing to know about lanes
// that a branch turned off. Both let far more registers be free.
#ifndef LUTHIER_ANALYSIS_EXECMASKS_H
#define LUTHIER_ANALYSIS_EXECMASKS_H

#include "analysis/CallGraph.h"
#include "analysis/RegisterEffects.h"
#include <memory>

namespace luthier {

class ExecMaskSolver;

enum class ExecSet : uint8_t {
  Entry,  ///< The very mask that the function was entered with.
  Within, ///< Some lanes of that.
  All,    ///< Every lane of the wave.
  Any,
};

class ExecMasks {
public:
  static ExecMasks run(const LiftedRepresentation &LR, const CallGraph &Graph,
                       const EffectsTable &Effects);

  /// Before each instruction of \p MBB, in order.
  llvm::ArrayRef<ExecSet> of(const llvm::MachineBasicBlock &MBB) const {
    return Sets.find(&MBB)->second;
  }
  /// Every call of \p MF returns with the mask that it was made with.
  bool isKeptBy(const llvm::MachineFunction &MF) const {
    return Keeping.contains(&MF);
  }

private:
  llvm::DenseMap<const llvm::MachineBasicBlock *, std::vector<ExecSet>> Sets;
  llvm::DenseSet<const llvm::MachineFunction *> Keeping;
  friend class ExecMaskSolver;
};

/// Instructions that run, whichever way a wave has come, with certain lanes.
struct ExecParts {
  using Instructions = llvm::DenseSet<const llvm::MachineInstr *>;
  Instructions Same; ///< With those that there were at the origin.
  Instructions Part; ///< With those of them that there were at the parting.
  Instructions Rest; ///< With the others.
};

/// Where EXEC is what it was at some other instruction.
class SameExec {
public:
  explicit SameExec(const LiftedRepresentation &LR);
  ~SameExec();

  /// Instructions of the same function that run, whichever way a wave has come
  /// since \p Origin, with the mask that it had before \p Origin the last time.
  /// None that may be reached without it.
  llvm::DenseSet<const llvm::MachineInstr *>
  since(const llvm::MachineInstr &Origin) const;
  /// The same, and where EXEC is what was left of that mask before \p Parting,
  /// the last time since, and where it is what had been taken out of it.
  ExecParts partsSince(const llvm::MachineInstr &Origin,
                       const llvm::MachineInstr &Parting) const;

private:
  CallGraph Graph;
  EffectsTable Effects;
  std::unique_ptr<ExecMaskSolver> Solver;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_EXECMASKS_H
