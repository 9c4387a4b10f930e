// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element formats of matrix operands, and their way from registers to the
// values that are multiplied.
#ifndef LUTHIER_EMULATOR_ISA_MATRIXINPUT_H
#define LUTHIER_EMULATOR_ISA_MATRIXINPUT_H

#include "emulator/core/Target.h"
#include "emulator/isa/MatrixLayout.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// In the order of cbsz and blgp where those select a format.
enum class Format : uint8_t {
  F8,  ///< Four bits of exponent, three of mantissa.
  BF8, ///< Five and two.
  F6,  ///< Two and three.
  BF6, ///< Three and two.
  F4,  ///< Two and one.
  // The same with an unsigned zero.
  UnsignedZeroF8,
  UnsignedZeroBF8,
  F16,
  BF16,
  // The same without denormals.
  FlushedF16,
  FlushedBF16,
  XF32, ///< A float rounded to ten bits of mantissa.
  F32,
  F64,
  I8,
  U8,
  I4,
  U4,
};

/// What \p F means on \p T.
inline Format resolved(Format F, const Target &T) {
  if (F == Format::F8 && T.HasUnsignedZeroFloats8)
    return Format::UnsignedZeroF8;
  if (F == Format::BF8 && T.HasUnsignedZeroFloats8)
    return Format::UnsignedZeroBF8;
  if (F == Format::F16 && T.MatrixFlushesDenormals)
    return Format::FlushedF16;
  if (F == Format::BF16 && T.MatrixFlushesDenormals)
    return Format::FlushedBF16;
  return F;
}

/// A matrix in registers; \p Slots has K positions.
struct MatrixSource {
  const U32 *Registers;
  const Slot *Slots;
  unsigned Size, K, Blocks;
};

/// Fills To[Block][K][Size].
void loadMatrix(Format F, const MatrixSource &From, F32 *To);
void loadMatrix(Format F, const MatrixSource &From, U32 *To);
void loadMatrix(Format F, const MatrixSource &From, F64 *To);

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MATRIXINPUT_H
