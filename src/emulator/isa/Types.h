// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that operations compute with, and their register images.
#ifndef LUTHIER_EMULATOR_ISA_TYPES_H
#define LUTHIER_EMULATOR_ISA_TYPES_H

#include "emulator/core/Inst.h"
#include "emulator/isa/Simd.h"
#include <bit>
#include <cstdint>
#include <type_traits>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;
using F16 = _Float16;
using F32 = float;
using F64 = double;

/// 32 bits that modifiers treat as a float but nothing computes with.
enum class B32 : uint32_t {};
enum class B64 : uint64_t {};
/// Two halves; modifiers are the handler's business.
enum class Pk16 : uint32_t {};
enum class Pk32 : uint64_t {};

template <class T> constexpr ValueType valueType() {
  if constexpr (std::is_same_v<T, U16>)
    return ValueType::U16;
  else if constexpr (std::is_same_v<T, I16>)
    return ValueType::I16;
  else if constexpr (std::is_same_v<T, F16>)
    return ValueType::F16;
  else if constexpr (std::is_same_v<T, B32>)
    return ValueType::B32;
  else if constexpr (std::is_same_v<T, U32>)
    return ValueType::U32;
  else if constexpr (std::is_same_v<T, I32>)
    return ValueType::I32;
  else if constexpr (std::is_same_v<T, F32>)
    return ValueType::F32;
  else if constexpr (std::is_same_v<T, Pk16>)
    return ValueType::Pk16;
  else if constexpr (std::is_same_v<T, B64>)
    return ValueType::B64;
  else if constexpr (std::is_same_v<T, U64>)
    return ValueType::U64;
  else if constexpr (std::is_same_v<T, I64>)
    return ValueType::I64;
  else if constexpr (std::is_same_v<T, F64>)
    return ValueType::F64;
  else if constexpr (std::is_same_v<T, Pk32>)
    return ValueType::Pk32;
  else
    static_assert(!sizeof(T), "not an operand type");
}

/// A value of at most 32 bits from the low end of a register.
template <class T> inline T fromBits(U32 Bits) {
  if constexpr (std::is_same_v<T, F16>)
    return std::bit_cast<F16>(U16(Bits));
  else if constexpr (std::is_same_v<T, F32>)
    return std::bit_cast<F32>(Bits);
  else
    return T(Bits);
}
template <class T> inline U32 toBits(T Value) {
  if constexpr (std::is_same_v<T, F16>)
    return std::bit_cast<U16>(Value);
  else if constexpr (std::is_same_v<T, F32>)
    return std::bit_cast<U32>(Value);
  else if constexpr (sizeof(T) == 2)
    return U16(Value);
  else
    return U32(Value);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_TYPES_H
