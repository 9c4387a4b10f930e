// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processors that leave the same dependencies to the code.
#ifndef LUTHIER_EMULATOR_CORE_HAZARDFAMILY_H
#define LUTHIER_EMULATOR_CORE_HAZARDFAMILY_H

#include <cstdint>

namespace luthier::emulator::hazard {

/// Sets of them are masks.
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

} // namespace luthier::emulator::hazard

#endif // LUTHIER_EMULATOR_CORE_HAZARDFAMILY_H
