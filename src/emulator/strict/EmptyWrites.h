// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector registers that code wrote while no lane was active: they keep what
// they held before, which says nothing about what was computed. A lane access
// reads it nevertheless, lane 0 if no lane is active.
#ifndef LUTHIER_EMULATOR_STRICT_EMPTYWRITES_H
#define LUTHIER_EMULATOR_STRICT_EMPTYWRITES_H

#include "emulator/core/Wave.h"
#include "emulator/strict/InstFacts.h"
#include <bitset>

namespace luthier::emulator::strict {

class EmptyWrites {
public:
  /// \p W is about to execute \p I. True if it reads such a register's lane.
  bool step(const Wave &W, const Inst &I, const InstFacts &Facts) {
    if (W.exec()) {
      reset();
      return false;
    }
    if (Facts.IsLaneRead)
      return Any && I.Src[0].Kind == Source::Vgpr && Written[I.Src[0].Reg];
    if (Facts.IgnoresExec)
      return false;
    for (const Span &S : Facts.VectorWrites)
      for (unsigned N = 0; N != S.Count; ++N)
        Written.set(S.First + N);
    Any |= !Facts.VectorWrites.empty();
    return false;
  }
  void reset() {
    if (Any)
      Written.reset();
    Any = false;
  }

private:
  std::bitset<NumVectorRegs> Written;
  bool Any = false;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_EMPTYWRITES_H
