// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// v_readlane, v_readfirstlane and v_writelane, which do not care about EXEC.
#ifndef LUTHIER_EMULATOR_STRICT_LANEACCESS_H
#define LUTHIER_EMULATOR_STRICT_LANEACCESS_H

#include "emulator/core/Wave.h"
#include "emulator/strict/InstFacts.h"
#include <bit>

namespace luthier::emulator::strict {

/// The lane that \p W is about to read or write. v_readfirstlane takes lane 0
/// if none is active.
inline unsigned accessedLane(const Wave &W, const Inst &I,
                             const InstFacts &Facts) {
  if (!Facts.Op.has(trait::SelectsLane))
    return W.exec() ? unsigned(std::countr_zero(W.exec())) : 0;
  const Operand &O = I.Src[1];
  const uint64_t Lane = O.Kind == Source::Sgpr ? W.S[O.Reg] : O.Value;
  return unsigned(Lane % W.WaveSize);
}

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_LANEACCESS_H
