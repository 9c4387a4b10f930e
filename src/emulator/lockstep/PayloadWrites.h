// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of vector registers that a payload has written since the wave entered
// it. A register that it writes is its own, and so says nothing in a lane that
// was inactive when the wave came and has not been written since: there it
// holds what somebody else computed for another purpose. v_readfirstlane reads
// lane 0 even if no lane is active.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_PAYLOADWRITES_H
#define LUTHIER_EMULATOR_LOCKSTEP_PAYLOADWRITES_H

#include "emulator/core/Wave.h"
#include "emulator/strict/EmptyWrites.h"
#include "emulator/strict/InstFacts.h"
#include "emulator/strict/LaneAccess.h"
#include <map>

namespace luthier::emulator::lockstep {

class PayloadWrites {
public:
  /// The wave executes something else.
  void leave() { IsInside = false; }

  /// \p W is about to execute \p I of a payload. True if that reads such a
  /// lane.
  bool step(const Wave &W, const Inst &I, const strict::InstFacts &Facts) {
    if (!IsInside) {
      IsInside = true;
      Active = W.exec();
      Lanes.clear();
      Empty.reset();
    }
    if (Empty.step(W, I, Facts))
      return true;
    if (Facts.IsLaneRead) {
      auto Found = I.Src[0].Kind == Source::Vgpr ? Lanes.find(I.Src[0].Reg)
                                                 : Lanes.end();
      return Found != Lanes.end() &&
             !((Found->second | Active) >> strict::accessedLane(W, I, Facts) &
               1);
    }
    // Registers of which single lanes are written hold values in the others.
    if (!Facts.IgnoresExec)
      for (const strict::Span &S : Facts.VectorWrites)
        for (unsigned N = 0; N != S.Count; ++N)
          Lanes[S.First + N] |= W.exec();
    return false;
  }

private:
  bool IsInside = false;
  uint64_t Active = 0; ///< When the wave came.
  std::map<unsigned, uint64_t> Lanes;
  /// Within the payload, the register may have had another purpose, too.
  strict::EmptyWrites Empty;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_PAYLOADWRITES_H
