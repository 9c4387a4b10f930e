// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 32- and 64-bit integer arithmetic of vector lanes, without carries.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Sign- and zero-extended low 24 bits.
I32 signed24(U32 A) { return I32(A << 8) >> 8; }
U32 unsigned24(U32 A) { return A & 0xffffff; }

template <class T> T minOf(T A, T B) { return A < B ? A : B; }
template <class T> T maxOf(T A, T B) { return A > B ? A : B; }
template <class T> T min3(T A, T B, T C) { return minOf(minOf(A, B), C); }
template <class T> T max3(T A, T B, T C) { return maxOf(maxOf(A, B), C); }
template <class T> T maxMin(T A, T B, T C) { return minOf(maxOf(A, B), C); }
template <class T> T minMax(T A, T B, T C) { return maxOf(minOf(A, B), C); }
template <class T> T med3(T A, T B, T C) {
  return maxOf(minOf(A, B), minOf(maxOf(A, B), C));
}

U32 byteOf(U64 A, unsigned N) { return A >> (8 * N) & 0xff; }
U32 difference(U32 A, U32 B) { return A > B ? A - B : B - A; }
U32 sadBytes(U32 A, U32 B, U32 C) {
  for (unsigned N = 0; N != 4; ++N)
    C += difference(byteOf(A, N), byteOf(B, N));
  return C;
}
/// Reference bytes that are zero do not count.
U32 maskedSadBytes(U32 A, U32 B, U32 C) {
  for (unsigned N = 0; N != 4; ++N)
    C += byteOf(B, N) ? difference(byteOf(A, N), byteOf(B, N)) : 0;
  return C;
}
/// Four 16-bit sums, which wrap around unless the clamp bit is set.
template <auto Sad, bool Saturating> U64 fourSads(U64 A, U32 B, U64 C) {
  U64 Result = 0;
  for (unsigned N = 0; N != 4; ++N) {
    U32 Sum = Sad(U32(A >> (8 * N)), B, U32(C >> (16 * N) & 0xffff));
    U64 Kept = Saturating ? minOf<U32>(Sum, 0xffff) : U16(Sum);
    Result |= Kept << (16 * N);
  }
  return Result;
}
template <auto Sad> constexpr Operation fourSadsRow(const char *Name) {
  return vopSat<fourSads<Sad, false>, fourSads<Sad, true>>(Name);
}
U32 averageBytes(U32 A, U32 B, U32 C) {
  U32 Result = 0;
  for (unsigned N = 0; N != 4; ++N)
    Result |=
        (byteOf(A, N) + byteOf(B, N) + (byteOf(C, N) & 1)) >> 1 << (8 * N);
  return Result;
}

/// Four 32-bit sums in four registers.
template <bool Saturating> void maskedQuadSad(Wave &W, const Inst &I) {
  Pair A = source64(W, I, 0);
  const U32 *B = source32(W, I, 1), *C = W.vgpr(I.Src[2].Reg);
  alignas(64) U32 Sums[4][NumLanes];
  for (unsigned N = 0; N != 4; ++N)
    for (unsigned L = 0; L != NumLanes; ++L) {
      U64 Bytes = A.Low[L] | U64(A.High[L]) << 32;
      I64 Sum = I64(maskedSadBytes(U32(Bytes >> (8 * N)), B[L], 0)) +
                C[N * NumLanes + L];
      Sums[N][L] = Saturating ? saturate<U32>(Sum) : U32(Sum);
    }
  for (unsigned N = 0; N != 4; ++N)
    writeMasked(W.vgpr(I.Dst.Reg + N), Sums[N], W.exec());
}

constexpr Operation maskedQuadSadRow() {
  Operation Op{"v_mqsad_u32_u8",
               maskedQuadSad<false>,
               ValueType::Wide,
               {ValueType::U64, ValueType::U32, ValueType::Wide}};
  Op.Saturating = maskedQuadSad<true>;
  return Op;
}

constexpr Operation Rows[] = {
    vopSat<[](U32 A, U32 B) { return A + B; }, addSat<U32>>("v_add_u32"),
    vopSat<[](U32 A, U32 B) { return A - B; }, subSat<U32>>("v_sub_u32"),
    vopSat<[](U32 A, U32 B) { return B - A; },
           [](U32 A, U32 B) { return subSat(B, A); }>("v_subrev_u32"),
    vopSat<[](I32 A, I32 B) { return I32(U32(A) + U32(B)); }, addSat<I32>>(
        "v_add_i32"),
    vopSat<[](I32 A, I32 B) { return I32(U32(A) - U32(B)); }, subSat<I32>>(
        "v_sub_i32"),
    vop<[](U32 A, U32 B, U32 C) { return A + B + C; }>("v_add3_u32"),
    vop<[](U32 A, U32 B, U32 C) { return (A << (B & 31)) + C; }>(
        "v_lshl_add_u32"),
    vop<[](U32 A, U32 B, U32 C) { return (A + B) << (C & 31); }>(
        "v_add_lshl_u32"),
    vop<[](U64 A, U32 B, U64 C) { return (A << (B & 7)) + C; }>(
        "v_lshl_add_u64"),
    vop<[](U32 A, U32 B, U32 C) { return (A ^ B) + C; }>("v_xad_u32"),

    vop<[](U32 A, U32 B) { return A * B; }>("v_mul_lo_u32"),
    vop<[](U32 A, U32 B) { return U32(U64(A) * B >> 32); }>("v_mul_hi_u32"),
    vop<[](I32 A, I32 B) { return U32(U64(I64(A) * B) >> 32); }>(
        "v_mul_hi_i32"),
    vop<[](U32 A, U32 B) { return U32(signed24(A)) * U32(signed24(B)); }>(
        "v_mul_i32_i24"),
    vop<[](U32 A, U32 B) { return U32(I64(signed24(A)) * signed24(B) >> 32); }>(
        "v_mul_hi_i32_i24"),
    vop<[](U32 A, U32 B) { return unsigned24(A) * unsigned24(B); }>(
        "v_mul_u32_u24"),
    vop<[](U32 A, U32 B) {
      return U32(U64(unsigned24(A)) * unsigned24(B) >> 32);
    }>("v_mul_hi_u32_u24"),
    vopSat<[](U32 A, U32 B, U32 C) {
      return U32(signed24(A)) * U32(signed24(B)) + C;
    },
           [](U32 A, U32 B, U32 C) {
             return saturate<I32>(I64(signed24(A)) * signed24(B) + I32(C));
           }>("v_mad_i32_i24"),
    vopSat<[](U32 A, U32 B, U32 C) {
      return unsigned24(A) * unsigned24(B) + C;
    },
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>(I64(U64(unsigned24(A)) * unsigned24(B) + C));
           }>("v_mad_u32_u24"),
    vopSat<[](U16 A, U16 B, U32 C) { return U32(A) * B + C; },
           [](U16 A, U16 B, U32 C) {
             return saturate<U32>(I64(U32(A) * B) + C);
           }>("v_mad_u32_u16"),
    vopSat<[](I16 A, I16 B, I32 C) { return I32(U32(A * B) + U32(C)); },
           [](I16 A, I16 B, I32 C) { return saturate<I32>(I64(A * B) + C); }>(
        "v_mad_i32_i16"),

    vop<minOf<I32>>("v_min_i32"),
    vop<maxOf<I32>>("v_max_i32"),
    vop<minOf<U32>>("v_min_u32"),
    vop<maxOf<U32>>("v_max_u32"),
    vop<min3<I32>>("v_min3_i32"),
    vop<max3<I32>>("v_max3_i32"),
    vop<med3<I32>>("v_med3_i32"),
    vop<min3<U32>>("v_min3_u32"),
    vop<max3<U32>>("v_max3_u32"),
    vop<med3<U32>>("v_med3_u32"),
    vop<maxMin<I32>>("v_maxmin_i32"),
    vop<minMax<I32>>("v_minmax_i32"),
    vop<maxMin<U32>>("v_maxmin_u32"),
    vop<minMax<U32>>("v_minmax_u32"),

    vopSat<sadBytes,
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>(I64(sadBytes(A, B, 0)) + C);
           }>("v_sad_u8"),
    vopSat<[](U32 A, U32 B, U32 C) { return (sadBytes(A, B, 0) << 16) + C; },
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>((I64(sadBytes(A, B, 0)) << 16) + C);
           }>("v_sad_hi_u8"),
    vopSat<[](U32 A, U32 B, U32 C) {
      return difference(A & 0xffff, B & 0xffff) + difference(A >> 16, B >> 16) +
             C;
    },
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>(I64(difference(A & 0xffff, B & 0xffff)) +
                                  difference(A >> 16, B >> 16) + C);
           }>("v_sad_u16"),
    vopSat<[](U32 A, U32 B, U32 C) { return difference(A, B) + C; },
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>(I64(difference(A, B)) + C);
           }>("v_sad_u32"),
    vopSat<maskedSadBytes,
           [](U32 A, U32 B, U32 C) {
             return saturate<U32>(I64(maskedSadBytes(A, B, 0)) + C);
           }>("v_msad_u8"),
    fourSadsRow<sadBytes>("v_qsad_pk_u16_u8"),
    fourSadsRow<maskedSadBytes>("v_mqsad_pk_u16_u8"),
    maskedQuadSadRow(),
    vop<averageBytes>("v_lerp_u8"),
};

} // namespace

std::span<const Operation> integerRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
