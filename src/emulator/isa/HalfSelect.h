// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How packed operations (VOP3P) choose and negate the halves of a source.
#ifndef LUTHIER_EMULATOR_ISA_HALFSELECT_H
#define LUTHIER_EMULATOR_ISA_HALFSELECT_H

#include "emulator/isa/Types.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// What one source contributes to both halves.
struct HalfSelect {
  HalfSelect(const Operand &O, bool IsFloat)
      : LowShift(O.Modifiers & OpSel ? 16 : 0),
        HighShift(O.Modifiers & OpSelHi ? 16 : 0),
        LowFlip(IsFloat && (O.Modifiers & Negate) ? 0x8000 : 0),
        HighFlip(IsFloat && (O.Modifiers & Absolute) ? 0x8000 : 0) {}
  U32 low(U32 Bits) const { return (Bits >> LowShift & 0xffff) ^ LowFlip; }
  U32 high(U32 Bits) const { return (Bits >> HighShift & 0xffff) ^ HighFlip; }
  U32 LowShift, HighShift, LowFlip, HighFlip;
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_HALFSELECT_H
