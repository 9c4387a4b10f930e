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

/// What one lane accesses at once. Other waves, other devices and the host may
/// use the same memory meanwhile, and hardware shows them all of it or nothing:
/// 64 bits that are aligned are what LLVM's memory model needs, and protocols
/// that put a flag beside each datum, as RCCL's LL does. Accesses are volatile,
/// so that the compiler neither splits them nor changes their order.
template <unsigned Count> struct Whole {
  typedef U32 Dwords
      __attribute__((vector_size(4 * Count), aligned(1), may_alias));
  static void load(Dwords &To, const void *From) {
    To = *static_cast<const volatile Dwords *>(From);
  }
  static void store(void *To, const Dwords &From) {
    *static_cast<volatile Dwords *>(To) = From;
  }
  static void copy(void *To, const void *From) {
    Dwords Value;
    load(Value, From);
    store(To, Value);
  }
};
/// A lane's dwords have no such size where there are one or three.
template <class E, unsigned Count>
inline constexpr bool IsWhole = E::Bytes == 4 && (Count == 2 || Count == 4);

/// A lane's elements; \p To is the lane's place in the first one's row.
template <class E, unsigned Count>
inline void loadElements(U32 *To, const uint8_t *From, OtherHalf Half) {
  if constexpr (IsWhole<E, Count>) {
    typename Whole<Count>::Dwords Value;
    Whole<Count>::load(Value, From);
    for (unsigned N = 0; N != Count; ++N)
      To[N * NumLanes] = Value[N];
  } else {
    for (unsigned N = 0; N != Count; ++N)
      E::load(To[N * NumLanes], From + N * E::Bytes, Half);
  }
}
template <class E, unsigned Count>
inline void storeElements(uint8_t *To, const U32 *From) {
  if constexpr (IsWhole<E, Count>) {
    typename Whole<Count>::Dwords Value;
    for (unsigned N = 0; N != Count; ++N)
      Value[N] = From[N * NumLanes];
    Whole<Count>::store(To, Value);
  } else {
    for (unsigned N = 0; N != Count; ++N)
      E::store(To + N * E::Bytes, From[N * NumLanes]);
  }
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_ELEMENT_H
