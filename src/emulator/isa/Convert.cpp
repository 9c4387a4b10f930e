// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions. Those to integers saturate, and take NaN to zero.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

I32 toSigned(F64 A) {
  F64 Limited = A < -0x1p31 ? -0x1p31 : A > 0x7fffffff ? 0x7fffffff : A;
  return A != A ? 0 : I32(Limited);
}
U32 toUnsigned(F64 A) {
  F64 Limited = A > 0xffffffffu ? 0xffffffffu : A;
  Limited = Limited > 0 ? Limited : 0; // also NaN
  // Added to 2^52, an integer shows in the low mantissa bits.
  return U32(std::bit_cast<U64>(__builtin_trunc(Limited) + 0x1p52));
}

template <class T> T toNarrow(F16 A) {
  return saturate<T>(toSigned(F64(F32(A))));
}

/// Toward zero, whatever the mode: undoes a rounding away from it.
U32 halfTowardZero(F32 A) {
  F16 Rounded = F16(A);
  bool Grew = magnitude(F32(Rounded)) > magnitude(A);
  return toBits(Rounded) - U32(Grew);
}

/// To fixed point, where all ones mean 1.
F64 limited(F64 A, F64 Low) {
  F64 Value = A < Low ? Low : A > 1 ? 1 : A;
  return A != A ? 0 : Value;
}
U32 signedNorm(F64 A) {
  return U16(I32(__builtin_roundeven(limited(A, -1) * 32767)));
}
U32 unsignedNorm(F64 A) {
  return U16(I32(__builtin_roundeven(limited(A, 0) * 65535)));
}

/// Inserts a saturated byte, rounded to nearest even, at a byte position.
U32 packByte(F32 A, U32 Position, U32 Old) {
  F64 Value = __builtin_roundeven(F64(A));
  U32 Byte = Value > 255 ? 255 : Value > 0 ? U32(I32(Value)) : 0;
  U32 Shift = 8 * (Position & 3);
  return (Old & ~(U32(0xff) << Shift)) | Byte << Shift;
}

U32 saturatedBytes(U32 A) {
  return U32(saturate<uint8_t>(I16(A))) | U32(saturate<uint8_t>(I16(A >> 16)))
                                              << 8;
}

constexpr Operation Rows[] = {
    vop<[](F32 A) { return toSigned(A); }>("v_cvt_i32_f32"),
    vop<[](F32 A) { return toUnsigned(A); }>("v_cvt_u32_f32"),
    vop<toSigned>("v_cvt_i32_f64"),
    vop<toUnsigned>("v_cvt_u32_f64"),
    vop<[](F32 A) { return toSigned(__builtin_floor(F64(A) + 0.5)); }>(
        "v_cvt_rpi_i32_f32"),
    vop<[](F32 A) { return toSigned(__builtin_floor(F64(A))); }>(
        "v_cvt_flr_i32_f32"),
    vop<[](I32 A) { return F32(A); }>("v_cvt_f32_i32"),
    vop<[](U32 A) { return F32(A); }>("v_cvt_f32_u32"),
    vop<[](I32 A) { return F64(A); }>("v_cvt_f64_i32"),
    vop<[](U32 A) { return F64(A); }>("v_cvt_f64_u32"),
    vop<[](F64 A) { return F32(A); }>("v_cvt_f32_f64"),
    vop<[](F32 A) { return F64(A); }>("v_cvt_f64_f32"),
    vop<[](F32 A) { return F16(A); }>("v_cvt_f16_f32"),
    vop<[](F16 A) { return F32(A); }>("v_cvt_f32_f16"),
    vop<[](U16 A) { return F16(F32(A)); }>("v_cvt_f16_u16"),
    vop<[](I16 A) { return F16(F32(A)); }>("v_cvt_f16_i16"),
    vop<toNarrow<U16>>("v_cvt_u16_f16"),
    vop<toNarrow<I16>>("v_cvt_i16_f16"),
    vop<[](U32 A) { return F32(A & 0xff); }>("v_cvt_f32_ubyte0"),
    vop<[](U32 A) { return F32(A >> 8 & 0xff); }>("v_cvt_f32_ubyte1"),
    vop<[](U32 A) { return F32(A >> 16 & 0xff); }>("v_cvt_f32_ubyte2"),
    vop<[](U32 A) { return F32(A >> 24); }>("v_cvt_f32_ubyte3"),
    vop<[](U32 A) { return F32(I32(A << 28) >> 28) * 0.0625f; }>(
        "v_cvt_off_f32_i4"),

    vop<[](F32 A, F32 B) {
      return halfTowardZero(A) | halfTowardZero(B) << 16;
    }>("v_cvt_pkrtz_f16_f32"),
    vop<[](F32 A, F32 B) { return signedNorm(A) | signedNorm(B) << 16; }>(
        "v_cvt_pknorm_i16_f32"),
    vop<[](F32 A, F32 B) { return unsignedNorm(A) | unsignedNorm(B) << 16; }>(
        "v_cvt_pknorm_u16_f32"),
    vop<[](F16 A, F16 B) {
      return signedNorm(F32(A)) | signedNorm(F32(B)) << 16;
    }>("v_cvt_pknorm_i16_f16"),
    vop<[](F16 A, F16 B) {
      return unsignedNorm(F32(A)) | unsignedNorm(F32(B)) << 16;
    }>("v_cvt_pknorm_u16_f16"),
    keepsHigh(vop<[](F16 A) { return U16(signedNorm(F32(A))); }>(
        "v_cvt_norm_i16_f16")),
    keepsHigh(vop<[](F16 A) { return U16(unsignedNorm(F32(A))); }>(
        "v_cvt_norm_u16_f16")),
    vop<[](U32 A, U32 B) {
      return U32(saturate<U16>(A)) | U32(saturate<U16>(B)) << 16;
    }>("v_cvt_pk_u16_u32"),
    vop<[](I32 A, I32 B) {
      return U32(U16(saturate<I16>(A))) | U32(U16(saturate<I16>(B))) << 16;
    }>("v_cvt_pk_i16_i32"),
    vop<packByte>("v_cvt_pk_u8_f32"),
    vop<saturatedBytes>("v_sat_pk_u8_i16"),
};

} // namespace

std::span<const Operation> convertRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
