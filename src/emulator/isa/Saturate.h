// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic that stops at the ends of its range.
#ifndef LUTHIER_EMULATOR_ISA_SATURATE_H
#define LUTHIER_EMULATOR_ISA_SATURATE_H

#include "emulator/isa/Types.h"
#include <limits>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

template <class T> T saturate(I64 Value) {
  constexpr I64 Low = std::numeric_limits<T>::min();
  constexpr I64 High = std::numeric_limits<T>::max();
  return T(Value < Low ? Low : Value > High ? High : Value);
}
template <class T> T addSat(T A, T B) { return saturate<T>(I64(A) + I64(B)); }
template <class T> T subSat(T A, T B) { return saturate<T>(I64(A) - I64(B)); }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_SATURATE_H
