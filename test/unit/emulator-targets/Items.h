// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each work-item computes, in plain C++ that the device and the host both
// compile: the host's results are the expected ones.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_TARGETS_ITEMS_H
#define LUTHIER_TEST_UNIT_EMULATOR_TARGETS_ITEMS_H

using U8 = unsigned char;
using I8 = signed char;
using U16 = unsigned short;
using I16 = short;
using U32 = unsigned;
using I32 = int;
using U64 = unsigned long;
using I64 = long;
using F16 = _Float16;

/// Three words of input, one of output.
struct Input {
  U32 A, B, C;
};

template <class To, class From> inline To bits(From Value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, Value);
}
/// NaN payloads are nobody's business.
inline U32 plain(float Value) {
  return Value == Value ? bits<U32>(Value) : 0x7fc00000;
}
inline U32 plain(double Value) {
  U64 Bits = Value == Value ? bits<U64>(Value) : 0x7ff8000000000000;
  return U32(Bits) ^ U32(Bits >> 32);
}
inline U32 plain(F16 Value) {
  return Value == Value ? bits<U16>(Value) : 0x7e00;
}
/// A moderate number of any sign and some size.
inline float number(U32 Bits) {
  return bits<float>((Bits & 0x807fffff) | (0x70 + (Bits >> 23 & 0x1f)) << 23);
}
inline double wide(U32 High, U32 Low) {
  U64 Bits = U64(High) << 32 | Low;
  return bits<double>((Bits & 0x800fffffffffffff) |
                      (U64(0x3f0) + (Bits >> 52 & 0x1f)) << 52);
}
inline F16 half(U32 Bits) {
  return bits<F16>(U16((Bits & 0x83ff) | (10 + (Bits >> 10 & 7)) << 10));
}

inline U32 integers(Input I) {
  U32 R = I.A * I.B + (I.C >> (I.A & 31));
  R ^= U32(U64(I.A) * I.B >> 32) - U32(I64(I32(I.B)) * I32(I.C) >> 32);
  R += I.A / (I.B | 1) + I.B % (I.C | 3);
  R -= U32(I32(I.A) / (I32(I.C) | 1)) ^ U32(I32(I.B) % (I32(I.A >> 3) | 5));
  R = R << (I.C & 7) | R >> (32 - (I.C & 7)) % 32;
  return R + U32(__builtin_popcount(I.A)) + U32(__builtin_clz(I.B | 1)) +
         U32(__builtin_ctz(I.C | 256)) + (I.A > I.B ? I.A : I.B);
}

inline U32 longIntegers(Input I) {
  U64 A = U64(I.A) << 32 | I.B, B = U64(I.C) << 17 | (I.A & 0xffff) | 1;
  U64 R = A * B + (A >> (I.C & 63)) - (B << (I.B & 63));
  R ^= A / B + A % (B >> 20 | 9);
  R += U64(I64(A) / I64(B | 2)) + U64(I64(A) >> (I.A & 63));
  R += A > B ? R >> 3 : R << 5;
  return U32(R) ^ U32(R >> 32);
}

inline U32 shortIntegers(Input I) {
  U16 A = U16(I.A), B = U16(I.B >> 16), C = U16(I.C);
  U16 R = U16(A * B + C);
  R = U16(R ^ (I16(A) < I16(B) ? A - B : B - C));
  R = U16(R + (U16(C << (A & 15)) | U16(B >> (C & 15))));
  R = U16(R + U16(I16(B) >> (A & 7)) + (A > C ? A : C));
  U8 D = U8(I.A >> 8), E = U8(I.B);
  I8 F = I8(I.C >> 24);
  return R | U32(U8(D * E + F)) << 16 | U32(U8(D > E ? D : E - D)) << 24;
}

inline U32 floats(Input I) {
  float A = number(I.A), B = number(I.B), C = number(I.C);
  float R = A * B + C;
  R = __builtin_fmaf(R, A, B) - A / B;
  R += __builtin_sqrtf(__builtin_fabsf(C)) * (A < B ? A : C);
  R -= __builtin_floorf(A) + __builtin_rintf(B) + __builtin_truncf(C);
  return plain(R) ^ plain(C / A);
}

inline U32 doubles(Input I) {
  double A = wide(I.A, I.B), B = wide(I.C, I.A), C = wide(I.B, I.C);
  double R = A * B + C;
  R = __builtin_fma(R, B, A) - A / B;
  R += __builtin_sqrt(__builtin_fabs(C)) * (A < B ? B : C);
  R -= __builtin_floor(A) + __builtin_rint(B) + __builtin_trunc(C);
  return plain(R) ^ plain(C / A);
}

inline U32 halves(Input I) {
  F16 A = half(I.A), B = half(I.B), C = half(I.C >> 16);
  F16 R = A * B;
  R = R + C;
  F16 S = A - C;
  S = S * (A < B ? A : C);
  F16 T = R > S ? R : S;
  return plain(T) | plain(F16(R - S)) << 16;
}

inline U32 conversions(Input I) {
  float A = number(I.A);
  double B = wide(I.B, I.C);
  U32 R = U32(I32(A * 1000)) + U32(__builtin_fabsf(A) * 3);
  R ^= plain(float(I32(I.B))) + plain(float(I.C));
  R += plain(float(B)) ^ plain(double(A));
  R ^= plain(double(I32(I.A))) + plain(double(I.B));
  R += U32(I32(B * 4096)) ^ U32(U64(__builtin_fabs(B) * 1e6));
  R ^= plain(float(I64(U64(I.A) << 32 | I.B))) +
       plain(double(U64(I.C) << 32 | I.A));
  R += plain(F16(A)) ^ plain(float(half(I.C)));
  return R ^ plain(F16(I32(I.B & 0x7ff))) ^ U32(I32(half(I.A)));
}

/// Lanes part here: loops of different lengths, early exits, a switch.
inline U32 branches(Input I) {
  U32 N = I.A & 0xffff, Steps = 0;
  while (N > 1 && Steps < 60) {
    N = N % 2 ? 3 * N + 1 : N / 2;
    ++Steps;
  }
  U32 R = Steps;
  for (U32 K = 0; K != (I.B & 15); ++K) {
    if (K == (I.C & 15))
      continue;
    switch ((I.C >> K) & 7) {
    case 0:
      R += I.A;
      break;
    case 1:
      R ^= I.B;
      break;
    case 2:
      R = R * 5 + K;
      break;
    case 5:
      R -= I.C;
      if (R & 1)
        return R;
      break;
    default:
      R = R << 1 | R >> 31;
    }
  }
  return R;
}

/// Through memory that only this work-item has.
inline U32 stack(Input I) {
  volatile U32 Words[24];
  volatile U8 Bytes[16];
  for (U32 K = 0; K != 24; ++K)
    Words[K] = I.A * (K + 1) ^ I.B;
  for (U32 K = 0; K != 16; ++K)
    Bytes[K] = U8(I.C >> (K & 15));
  U32 R = 0;
  for (U32 K = 0; K != 8; ++K) {
    R += Words[(I.C >> K) % 24] ^ Bytes[(I.A >> K) % 16];
    Words[(I.B >> K) % 24] = R;
  }
  return R;
}

[[gnu::noinline]] inline U32 recurse(U32 N, U32 Value) {
  if (N == 0)
    return Value;
  volatile U32 Kept = Value * 3 + N;
  return recurse(N - 1, Kept ^ Value >> 1) + Kept;
}
inline U32 calls(Input I) {
  return recurse(I.A & 7, I.B) ^ recurse(I.C & 3, I.A);
}

#define FOR_EACH_ITEM(DO)                                                      \
  DO(integers)                                                                 \
  DO(longIntegers)                                                             \
  DO(shortIntegers)                                                            \
  DO(floats)                                                                   \
  DO(doubles) DO(halves) DO(conversions) DO(branches) DO(stack) DO(calls)

#endif // LUTHIER_TEST_UNIT_EMULATOR_TARGETS_ITEMS_H
