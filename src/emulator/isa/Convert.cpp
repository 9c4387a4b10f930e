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

/// Through signed numbers, because the compiler's own sequences for unsigned
/// ones make -0 of 0 when rounding down, and take the sign for granted.
template <class F> F fromUnsigned(U32 A) {
  return F(magnitude(F64(I32(A ^ 0x80000000)) + 0x1p31));
}

/// Toward zero, whatever the mode: undoes a rounding away from it.
F16 halfTowardZero(F32 A) {
  F16 Rounded = toHalf(A);
  bool Grew = magnitude(F32(Rounded)) > magnitude(A);
  return fromFloatBits<F16>(U16(bitsOf(Rounded) - Grew));
}

/// Two halves in one register.
template <F16 (*Round)(F32)> void packHalves(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<F32> A(W, I, 0), B(W, I, 1);
  U32 *Result = W.Thread->Scratch.Result[0];
  bool Flush = !(W.Mode >> mode::DenormDouble & 2);
  LUTHIER_LANE_LOOP
  for (unsigned L = 0; L != NumLanes; ++L)
    Result[L] = toBits(flushedHalf(Round(A[L]), Flush)) |
                toBits(flushedHalf(Round(B[L]), Flush)) << 16;
  writeBack(W, I);
}
template <F16 (*Round)(F32)>
constexpr Operation packRow(const char *Name, uint8_t Mode) {
  return inFloatMode(Mode, {Name,
                            packHalves<Round>,
                            ValueType::U32,
                            {ValueType::F32, ValueType::F32}});
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

/// The same with the destination as the third source.
void accumulateByte(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<F32> A(W, I, 0);
  const U32 *Position = source32(W, I, 1), *Old = W.vgpr(I.Dst.Reg);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L)
    Result[L] = packByte(A[L], Position[L], Old[L]);
  writeBack(W, I);
}

U16 saturatedBytes(U32 A) {
  return U16(U16(saturate<uint8_t>(I16(A))) |
             U16(saturate<uint8_t>(I16(A >> 16))) << 8);
}

// See Inst::FloatMode.
constexpr uint8_t NearestMode = 4, FromSingle = 5, ToSingle = 6;

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
    vop<fromUnsigned<F32>>("v_cvt_f32_u32"),
    vop<[](I32 A) { return F64(A); }>("v_cvt_f64_i32"),
    vop<fromUnsigned<F64>>("v_cvt_f64_u32"),
    inFloatMode(ToSingle, vop<[](F64 A) { return F32(A); }>("v_cvt_f32_f64")),
    inFloatMode(FromSingle, vop<[](F32 A) { return F64(A); }>("v_cvt_f64_f32")),
    inFloatMode(FromSingle,
                vop<[](F32 A) { return toHalf(A); }>("v_cvt_f16_f32")),
    vop<[](F16 A) { return F32(A); }>("v_cvt_f32_f16"),
    vop<[](U16 A) { return toHalf(F32(I32(A))); }>("v_cvt_f16_u16"),
    vop<[](I16 A) { return toHalf(F32(A)); }>("v_cvt_f16_i16"),
    vop<toNarrow<U16>>("v_cvt_u16_f16"),
    vop<toNarrow<I16>>("v_cvt_i16_f16"),
    vop<[](U32 A) { return F32(A & 0xff); }>("v_cvt_f32_ubyte0"),
    vop<[](U32 A) { return F32(A >> 8 & 0xff); }>("v_cvt_f32_ubyte1"),
    vop<[](U32 A) { return F32(A >> 16 & 0xff); }>("v_cvt_f32_ubyte2"),
    vop<[](U32 A) { return F32(A >> 24); }>("v_cvt_f32_ubyte3"),
    vop<[](U32 A) { return F32(I32(A << 28) >> 28) * 0.0625f; }>(
        "v_cvt_off_f32_i4"),

    packRow<halfTowardZero>("v_cvt_pkrtz_f16_f32", FromSingle),
    packRow<toHalf>("v_cvt_pk_f16_f32", NearestMode),
    vop<[](U16 A) { return U32(A); }>("v_cvt_u32_u16"),
    vop<[](I16 A) { return U32(I32(A)); }>("v_cvt_i32_i16"),
    vop<[](F32 A, F32 B) {
      return U32(U16(saturate<I16>(toSigned(A)))) |
             U32(U16(saturate<I16>(toSigned(B)))) << 16;
    }>("v_cvt_pk_i16_f32"),
    vop<[](F32 A, F32 B) {
      return U32(saturate<U16>(toUnsigned(A))) |
             U32(saturate<U16>(toUnsigned(B))) << 16;
    }>("v_cvt_pk_u16_f32"),
    keepsHigh(vop<[](I32 A, I32 B, U32 Shift) {
      return U16(U16(uint8_t(saturate<int8_t>(A >> (Shift & 31)))) |
                 U16(uint8_t(saturate<int8_t>(B >> (Shift & 31)))) << 8);
    }>("v_ashr_pk_i8_i32")),
    keepsHigh(vop<[](I32 A, I32 B, U32 Shift) {
      return U16(U16(saturate<uint8_t>(A >> (Shift & 31))) |
                 U16(saturate<uint8_t>(B >> (Shift & 31))) << 8);
    }>("v_ashr_pk_u8_i32")),
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
    {"v_cvt_pkaccum_u8_f32",
     accumulateByte,
     ValueType::U32,
     {ValueType::F32, ValueType::U32}},
    vop<saturatedBytes>("v_sat_pk_u8_i16"),
};

} // namespace

std::span<const Operation> convertRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
