// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How loads and stores narrower or wider than a dword meet registers.
#ifndef LUTHIER_EMULATOR_ISA_ELEMENT_H
#define LUTHIER_EMULATOR_ISA_ELEMENT_H

#include "emulator/isa/Types.h"
#include <cstring>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Which part of a register a narrow value uses.
enum class Place { Whole, Low, High };

/// A memory element of type T in registers. The half of the destination that a
/// d16 load does not fill becomes zero: devices with register ECC write whole
/// dwords, and GFX90A always has it.
template <class T, Place Where = Place::Whole> struct Element {
  static constexpr unsigned Bytes = sizeof(T);
  static U32 load(const uint8_t *From) {
    T Value;
    std::memcpy(&Value, From, sizeof(T));
    if constexpr (Where == Place::Whole)
      return U32(Value);
    U32 Half = U16(Value);
    return Where == Place::Low ? Half : Half << 16;
  }
  static void store(uint8_t *To, U32 Register) {
    T Value = T(Where == Place::High ? Register >> 16 : Register);
    std::memcpy(To, &Value, sizeof(T));
  }
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_ELEMENT_H
