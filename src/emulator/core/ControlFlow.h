// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where control goes after an instruction: what divides code into blocks.
#ifndef LUTHIER_EMULATOR_CORE_CONTROLFLOW_H
#define LUTHIER_EMULATOR_CORE_CONTROLFLOW_H

#include <cstdint>

namespace luthier::emulator {

enum class ControlFlow : uint8_t {
  Next,
  Branch, ///< Always, by a distance in the instruction.
  BranchOnScc,
  BranchOnVcc,
  BranchOnExec,
  BranchOnDebugger,
  Fork, ///< One part of the lanes now, the other at the next join.
  Join,
  Loop, ///< Each half of a wave of 64 lanes in its turn.
  Jump, ///< To an address in registers; returns are such.
  Call,
  End, ///< Of the wave, or a trap.
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_CONTROLFLOW_H
