// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of instructions that the hazard tables speak of.
#ifndef LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H
#define LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H

#include <cstdint>
#include <string_view>

namespace luthier::emulator::strict {

namespace hazard {
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
  ZeroFlag = 1 << 11, ///< Known only with the operands.
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

/// Processors with the same tables.
enum Family : uint32_t {
  Vega = 1 << 0,
  Mi100 = 1 << 1,
  Mi200 = 1 << 2,
  Mi300 = 1 << 3,
  Gfx10 = 1 << 4,
  Gfx11 = 1 << 5,
  Gfx12 = 1 << 6,
  Mi350 = 1 << 7,
  SinceMi300 = Mi300 | Mi350,
  Gfx9NotMi300 = Vega | Mi100 | Mi200,
  Gfx9 = Gfx9NotMi300 | SinceMi300,
};
Family familyOf(std::string_view Processor);
/// What, shortly before an instruction of \p Consumer, may be a hazard.
uint32_t producersOf(uint32_t Family, uint32_t Consumer);
} // namespace hazard

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_HAZARDCLASSES_H
