// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How loads and stores narrower or wider than a dword meet registers.
#ifndef LUTHIER_EMULATOR_ISA_ELEMENT_H
#define LUTHIER_EMULATOR_ISA_ELEMENT_H

#include "emulator/core/Wave.h"
#include "emulator/isa/Types.h"
#include <cstring>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Which part of a register a narrow value uses.
enum class Place { Whole, Low, High };

/// What becomes of the half of a register that a d16 load does not fill.
/// Devices whose registers have error correction write whole dwords.
struct OtherHalf {
  explicit OtherHalf(const Wave &W)
      : Keep(W.T->NarrowLoadsClear ? 0 : ~U32(0)) {}
  U32 Keep;
};

/// A memory element of type T in registers.
template <class T, Place Where = Place::Whole> struct Element {
  static constexpr unsigned Bytes = sizeof(T);
  static void load(U32 &To, const uint8_t *From, OtherHalf Half) {
    T Value;
    std::memcpy(&Value, From, sizeof(T));
    if constexpr (Where == Place::Whole)
      To = U32(Value);
    else if constexpr (Where == Place::Low)
      To = U32(U16(Value)) | (To & 0xffff0000 & Half.Keep);
    else
      To = U32(U16(Value)) << 16 | (To & 0xffff & Half.Keep);
  }
  static void store(uint8_t *To, U32 Register) {
    T Value = T(Where == Place::High ? Register >> 16 : Register);
    std::memcpy(To, &Value, sizeof(T));
  }
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_ELEMENT_H
