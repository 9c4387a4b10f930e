// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the families of matrix operations share: operands in, results out, and
// rows of the table.
#ifndef LUTHIER_EMULATOR_ISA_MATRIX_H
#define LUTHIER_EMULATOR_ISA_MATRIX_H

#include "emulator/isa/MatrixMultiply.h"
#include "emulator/isa/Operands.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Formats of A and B.
struct Formats {
  Format A, B;
};

template <class T>
void loadMatrices(const Plan &P, const U32 *RegistersA, const U32 *RegistersB,
                  Formats F, MatrixOperands<T> &Op) {
  loadMatrix(F.A, {RegistersA, P.A, P.Size, P.KA, P.Blocks}, Op.A);
  loadMatrix(F.B, {RegistersB, P.B, P.Size, P.KB, P.Blocks}, Op.B);
  for (unsigned N = 0; N != P.Blocks; ++N)
    Op.BlockOfA[N] = uint8_t(N);
}

/// Fills Op.Selected. Each lane has two bits for each of its elements of A,
/// from bit \p Shift of \p Index on.
template <class T>
void loadSelection(const Plan &P, const U32 *Index, unsigned Shift,
                   MatrixOperands<T> &Op) {
  for (unsigned Row = 0; Row != P.Size; ++Row)
    for (unsigned K = 0; K != P.KA; ++K) {
      U32 Bits = Index[Row + P.A[K].Group * P.Size] >> Shift;
      unsigned Offset = Bits >> (2 * P.A[K].Element) & 3;
      Op.Selected[Row * P.KA + K] = uint8_t(P.FirstOfB[K] + Offset);
    }
}
/// Bits of the index that one operation uses of each lane.
inline unsigned indexBits(const Plan &P) {
  unsigned Last = 0;
  for (unsigned K = 0; K != P.KA; ++K)
    Last = std::max<unsigned>(Last, P.A[K].Element);
  return 2 * (Last + 1);
}

/// The accumulator: registers, or a constant.
template <class T>
void loadSums(Wave &W, const Operand &C, const Plan &P, MatrixSums<T> &Sums) {
  for (unsigned R = 0; R != P.NumRegisters; ++R)
    if (C.Kind == Source::Vgpr) {
      const U32 *From = W.vgpr(C.Reg + R * sizeof(T) / 4);
      if constexpr (sizeof(T) == 4)
        std::memcpy(Sums[R], From, sizeof(Sums[R]));
      else
        for (unsigned L = 0; L != NumLanes; ++L)
          Sums[R][L] =
              std::bit_cast<T>(From[L] | U64(From[L + NumLanes]) << 32);
    } else {
      T Value;
      std::memcpy(&Value, &C.Value, sizeof(T));
      std::fill(std::begin(Sums[R]), std::end(Sums[R]), Value);
    }
}

/// Writes the lanes of \p Mask.
template <class T>
void storeSums(Wave &W, const Operand &D, const Plan &P,
               const MatrixSums<T> &Sums, U64 Mask) {
  for (unsigned R = 0; R != P.NumRegisters; ++R) {
    U32 *To = W.vgpr(D.Reg + R * sizeof(T) / 4);
    if constexpr (sizeof(T) == 4)
      writeMasked(To, reinterpret_cast<const U32 *>(Sums[R]), Mask);
    else
      for (unsigned L = 0; L != NumLanes; ++L)
        storeLane<T>(To, To + NumLanes, L, Sums[R][L]);
  }
}

template <class T> void negateAll(T *Begin, size_t Count) {
  for (T *E = Begin; E != Begin + Count; ++E)
    *E = -*E;
}

/// Sums of flushed formats have no denormals, before and after.
inline bool isFlushed(Format F) {
  return F == Format::FlushedF16 || F == Format::FlushedBF16;
}
inline void flushSums(const Plan &P, MatrixSums<F32> &Sums) {
  for (unsigned R = 0; R != P.NumRegisters; ++R)
    for (F32 &Sum : Sums[R]) {
      U32 Bits = std::bit_cast<U32>(Sum);
      Sum = std::bit_cast<F32>(Bits & 0x7f800000 ? Bits : Bits & 0x80000000);
    }
}

inline Formats resolved(Formats F, const Wave &W) {
  return {resolved(F.A, *W.T), resolved(F.B, *W.T)};
}

/// Nearest rounding and denormals, whatever MODE says.
inline constexpr uint8_t MatrixFloatMode = 4;

constexpr Operation matrixRow(const char *Name, Handler Fn) {
  Operation Op{Name,
               Fn,
               ValueType::Wide,
               {ValueType::Wide, ValueType::Wide, ValueType::Wide}};
  Op.FloatMode = MatrixFloatMode;
  return Op;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MATRIX_H
