// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to overwrite where, so that all that is free holds garbage as soon as it
// is free, without writing everything at every place: what was overwritten
// before and not written since still holds garbage. At each place these are
// overwritten:
//  - what is free and may hold a value of the application's, on whatever way
//    control came; where there is much of it, a part by chance;
//  - a few of the others, in case the analyses do not know of a write.
#ifndef LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H
#define LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H

#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <utility>

namespace luthier {

struct PoisonPlace {
  RegisterSet Write; ///< Not empty.
  RegisterSet Free;  ///< All that may be overwritten.
};

class PoisonPlan {
public:
  struct Options {
    RegisterSet Universe; ///< What may be overwritten at all.
    RegisterSet Planted;  ///< Taken to be free everywhere.
    unsigned Most = 0;    ///< Of those that hold values yet, at one place.
    uint32_t Seed = 0;
  };
  static PoisonPlan run(const LiftedRepresentation &LR, const Options &How);

  // Null where nothing may stand or nothing is to be overwritten.
  const PoisonPlace *before(const llvm::MachineInstr &MI) const {
    return find({&MI, nullptr});
  }
  const PoisonPlace *onEdge(const llvm::MachineBasicBlock &From,
                            const llvm::MachineBasicBlock &To) const {
    return find({&From, &To});
  }
  const PoisonPlace *atEntry(const llvm::MachineFunction &MF) const {
    return find({nullptr, &MF});
  }

private:
  friend class PoisonPlanner;
  using Key = std::pair<const void *, const void *>;
  const PoisonPlace *find(Key K) const {
    auto Found = Places.find(K);
    return Found == Places.end() ? nullptr : &Found->second;
  }
  llvm::DenseMap<Key, PoisonPlace> Places;
};

/// The first aligned pair that is free (in wave32, the first of any pair): EXEC
/// fits into it.
std::optional<unsigned> freePair(const RegisterSet &Free, bool IsWave32);

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H
