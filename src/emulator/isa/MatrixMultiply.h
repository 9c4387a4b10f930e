// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops of matrix operations.
#ifndef LUTHIER_EMULATOR_ISA_MATRIXMULTIPLY_H
#define LUTHIER_EMULATOR_ISA_MATRIXMULTIPLY_H

#include "emulator/core/Wave.h"
#include "emulator/isa/MatrixInput.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Results and accumulators, one element per register.
template <class T> using MatrixSums = T[32][NumLanes];

/// Everything one instruction works on, unpacked.
template <class T> struct MatrixOperands {
  alignas(64) T A[2048]; ///< [Block][K][Row]
  alignas(64) T B[2048]; ///< [Block][K][Column]
  alignas(64) MatrixSums<T> Sums;
  /// Block of A that each block of the result uses.
  uint8_t BlockOfA[16];
  /// Position in B that belongs to each element of a sparse A: [Row][K].
  uint8_t Selected[32 * 64];
};

/// Adds the products of positions [Begin, End) along K, in their order. Floats
/// round after each product.
template <class T>
void addProducts(const Plan &P, const MatrixOperands<T> &Op,
                 MatrixSums<T> &Sums, unsigned Begin, unsigned End);
/// The same for a sparse A.
template <class T>
void addSparseProducts(const Plan &P, const MatrixOperands<T> &Op,
                       MatrixSums<T> &Sums, unsigned Begin, unsigned End);

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MATRIXMULTIPLY_H
