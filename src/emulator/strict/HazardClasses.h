// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of instructions that the hazard tables speak of.
#ifndef LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H
#define LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H

#include "emulator/core/HazardFamily.h"
#include <cstdint>

namespace luthier::emulator::strict {

namespace hazard {
using namespace emulator::hazard;

enum Class : uint32_t {
  Valu = 1 << 0, ///< Without matrix operations.
  ValuToScalar = 1 << 1,
  ValuToVector = 1 << 2,
  ValuToExec = 1 << 3,
  ValuToVccOrExec = 1 << 4,
  Vmem = 1 << 5, ///< Flat operations included.
  LaneSelect = 1 << 6,
  LaneRead = 1 << 7,
  LaneAccess = 1 << 8,
  DivFmas = 1 << 9,
  Dpp = 1 << 10,
  ZeroFlag = 1 << 11, ///< Reads one as an operand.
  SetReg = 1 << 12,
  GetReg = 1 << 13,
  SaluToM0 = 1 << 14,
  ReadsM0 = 1 << 15,
  WideStore = 1 << 16,
  Trans = 1 << 17,
  ValuNotTrans = 1 << 18,
  PartialResult = 1 << 19,
  Matrix = 1 << 20,
  Lds = 1 << 21,
  Nop = 1 << 22,
  Dot = 1 << 23,
  RowSwap = 1 << 24,
  LdsDirect = 1 << 26, ///< Loads of one value for all lanes.
  Call = 1 << 25,      ///< Returns too: compilers look at functions one by one.
};

/// What, shortly before an instruction of \p Consumer, may be a hazard.
uint32_t producersOf(uint32_t Family, uint32_t Consumer);
} // namespace hazard

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H
