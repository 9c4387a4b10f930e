// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit integer arithmetic. Most operations clear the upper half of the
// destination; those that are newer keep it.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class T> T minOf(T A, T B) { return A < B ? A : B; }
template <class T> T maxOf(T A, T B) { return A > B ? A : B; }
template <class T> T min3(T A, T B, T C) { return minOf(minOf(A, B), C); }
template <class T> T max3(T A, T B, T C) { return maxOf(maxOf(A, B), C); }
template <class T> T med3(T A, T B, T C) {
  return maxOf(minOf(A, B), minOf(maxOf(A, B), C));
}
template <class T> T multiplyAdd(T A, T B, T C) {
  return T(U32(A) * U32(B) + U32(C));
}
template <class T> T multiplyAddSat(T A, T B, T C) {
  return saturate<T>(I64(A) * I64(B) + I64(C));
}

constexpr Operation Rows[] = {
    vopSat<[](U16 A, U16 B) { return U16(A + B); }, addSat<U16>>("v_add_u16"),
    vopSat<[](U16 A, U16 B) { return U16(A - B); }, subSat<U16>>("v_sub_u16"),
    vopSat<[](U16 A, U16 B) { return U16(B - A); },
           [](U16 A, U16 B) { return subSat(B, A); }>("v_subrev_u16"),
    keepsHigh(vopSat<[](I16 A, I16 B) { return I16(A + B); }, addSat<I16>>(
        "v_add_i16")),
    keepsHigh(vopSat<[](I16 A, I16 B) { return I16(A - B); }, subSat<I16>>(
        "v_sub_i16")),
    vop<[](U16 A, U16 B) { return U16(U32(A) * B); }>("v_mul_lo_u16"),
    keepsHigh(vopSat<multiplyAdd<U16>, multiplyAddSat<U16>>("v_mad_u16")),
    keepsHigh(vopSat<multiplyAdd<I16>, multiplyAddSat<I16>>("v_mad_i16")),
    vopSat<multiplyAdd<U16>, multiplyAddSat<U16>>("v_mad_legacy_u16"),
    vopSat<multiplyAdd<I16>, multiplyAddSat<I16>>("v_mad_legacy_i16"),
    vop<[](U16 A, U16 B) { return U16(B << (A & 15)); }>("v_lshlrev_b16"),
    vop<[](U16 A, U16 B) { return U16(B >> (A & 15)); }>("v_lshrrev_b16"),
    vop<[](U16 A, I16 B) { return I16(B >> (A & 15)); }>("v_ashrrev_i16"),
    vop<minOf<U16>>("v_min_u16"),
    vop<maxOf<U16>>("v_max_u16"),
    vop<minOf<I16>>("v_min_i16"),
    vop<maxOf<I16>>("v_max_i16"),
    keepsHigh(vop<min3<U16>>("v_min3_u16")),
    keepsHigh(vop<max3<U16>>("v_max3_u16")),
    keepsHigh(vop<med3<U16>>("v_med3_u16")),
    keepsHigh(vop<min3<I16>>("v_min3_i16")),
    keepsHigh(vop<max3<I16>>("v_max3_i16")),
    keepsHigh(vop<med3<I16>>("v_med3_i16")),
};

} // namespace

std::span<const Operation> narrowRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
