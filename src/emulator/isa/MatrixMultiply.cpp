// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/MatrixMultiply.h"
#include <cstring>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// A row of a block. Clang splits it into registers of the host.
template <class T, unsigned Size>
using RowVector = T __attribute__((ext_vector_type(Size)));

template <class V, class T> V loadVector(const T *From) {
  V Value;
  std::memcpy(&Value, From, sizeof(V));
  return Value;
}

template <class V, class T> V multiplyAdd(T A, V B, V C) {
  if constexpr (std::is_same_v<T, U32>)
    return V(A) * B + C;
  else
    return __builtin_elementwise_fma(V(A), B, C);
}

template <class T, unsigned Size>
void addDense(const Plan &P, const MatrixOperands<T> &Op, MatrixSums<T> &Sums,
              unsigned Begin, unsigned End) {
  using V = RowVector<T, Size>;
  // So many rows at once that the sums fill half of the host's registers: one
  // sum alone would wait for itself.
  constexpr unsigned Together =
      std::clamp<unsigned>(256 / sizeof(V), 1, std::min(Size, 4u));
  for (unsigned First = 0; First != P.NumRows; First += Together) {
    const OutputRow *Rows = P.Rows + First;
    const T *A = Op.A + Op.BlockOfA[Rows->Block] * P.KA * Size;
    const T *B = Op.B + Rows->Block * P.KB * Size;
    T *To[Together];
    V Sum[Together];
    for (unsigned N = 0; N != Together; ++N) {
      To[N] = &Sums[Rows[N].Register][Rows[N].Lane];
      Sum[N] = loadVector<V>(To[N]);
    }
    for (unsigned K = Begin; K != End; ++K) {
      V RowOfB = loadVector<V>(B + K * Size);
      for (unsigned N = 0; N != Together; ++N)
        Sum[N] = multiplyAdd(A[K * Size + Rows[N].Row], RowOfB, Sum[N]);
    }
    for (unsigned N = 0; N != Together; ++N)
      std::memcpy(To[N], &Sum[N], sizeof(V));
  }
}

template <class T, unsigned Size>
void addSparse(const Plan &P, const MatrixOperands<T> &Op, MatrixSums<T> &Sums,
               unsigned Begin, unsigned End) {
  using V = RowVector<T, Size>;
  for (unsigned N = 0; N != P.NumRows; ++N) {
    const OutputRow &Row = P.Rows[N];
    const uint8_t *Selected = Op.Selected + Row.Row * P.KA;
    T *To = &Sums[Row.Register][Row.Lane];
    V Sum = loadVector<V>(To);
    for (unsigned K = Begin; K != End; ++K)
      Sum = multiplyAdd(Op.A[K * Size + Row.Row],
                        loadVector<V>(Op.B + Selected[K] * Size), Sum);
    std::memcpy(To, &Sum, sizeof(V));
  }
}

} // namespace

template <class T>
void addProducts(const Plan &P, const MatrixOperands<T> &Op,
                 MatrixSums<T> &Sums, unsigned Begin, unsigned End) {
  switch (P.Size) {
  case 4:
    return addDense<T, 4>(P, Op, Sums, Begin, End);
  case 16:
    return addDense<T, 16>(P, Op, Sums, Begin, End);
  default:
    return addDense<T, 32>(P, Op, Sums, Begin, End);
  }
}

template <class T>
void addSparseProducts(const Plan &P, const MatrixOperands<T> &Op,
                       MatrixSums<T> &Sums, unsigned Begin, unsigned End) {
  if (P.Size == 16)
    return addSparse<T, 16>(P, Op, Sums, Begin, End);
  addSparse<T, 32>(P, Op, Sums, Begin, End);
}

template void addProducts(const Plan &, const MatrixOperands<F32> &,
                          MatrixSums<F32> &, unsigned, unsigned);
template void addProducts(const Plan &, const MatrixOperands<U32> &,
                          MatrixSums<U32> &, unsigned, unsigned);
template void addProducts(const Plan &, const MatrixOperands<F64> &,
                          MatrixSums<F64> &, unsigned, unsigned);
template void addSparseProducts(const Plan &, const MatrixOperands<F32> &,
                                MatrixSums<F32> &, unsigned, unsigned);
template void addSparseProducts(const Plan &, const MatrixOperands<U32> &,
                                MatrixSums<U32> &, unsigned, unsigned);

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
