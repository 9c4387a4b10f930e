// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions to and from floats of 4 to 16 bits, with and without a scale.
// They round to nearest even or stochastically, whatever MODE says, and keep
// denormals.
#include "emulator/isa/SmallFloat.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

// See Inst::FloatMode.
constexpr uint8_t NearestMode = 4;

/// Which format a name stands for; the eight-bit ones changed once.
enum class Format { Single, Half, Brain, Fp8, Bf8, Fp6, Bf6, Fp4 };

template <Format K> SmallFormat formatOf(const Wave &W) {
  switch (K) {
  case Format::Half:
    return HalfFloat;
  case Format::Brain:
    return BrainFloat;
  case Format::Fp8:
    return W.T->HasFnuzFp8 ? Fp8Fnuz : Fp8;
  case Format::Bf8:
    return W.T->HasFnuzFp8 ? Bf8Fnuz : Bf8;
  case Format::Fp6:
    return Fp6;
  case Format::Bf6:
    return Bf6;
  default:
    return Fp4;
  }
}
template <Format K> constexpr unsigned widthOf() {
  switch (K) {
  case Format::Single:
    return 32;
  case Format::Half:
  case Format::Brain:
    return 16;
  case Format::Fp8:
  case Format::Bf8:
    return 8;
  case Format::Fp6:
  case Format::Bf6:
    return 6;
  case Format::Fp4:
    return 4;
  }
  return 0;
}

/// Reads and writes values of one format.
template <Format K> struct Codec {
  explicit Codec(const Wave &W)
      : F(formatOf<K>(W)), Saturate(W.Mode & mode::Fp16Overflow) {}
  F64 decode(U32 Bits) const {
    if constexpr (K == Format::Single)
      return F64(std::bit_cast<F32>(Bits));
    else
      return decodeSmall(F, Bits & ((U32(1) << widthOf<K>()) - 1));
  }
  U32 encode(F64 Value, Rounding R = {}) const {
    if constexpr (K == Format::Single)
      return std::bit_cast<U32>(F32(Value));
    else
      return encodeSmall(F, Value, Saturate && K != Format::Brain, R);
  }
  SmallFormat F;
  bool Saturate;
};

/// One step of the generator that turns a seed into the next.
U32 nextRandom(U32 Seed) { return Seed << 1 ^ (Seed >> 31 ? 197u : 0u); }

/// The scale is the exponent of a float: 2^(e - 127), or NaN.
F64 scaleOf(U32 Bits) {
  U32 Exponent = Bits >> 23 & 0xff;
  return Exponent == 0xff
             ? fromFloatBits<F64>(ExponentMask<F64> | QuietBit<F64>)
             : powerOfTwo(int(Exponent) - 127);
}

/// op_sel as the encoding has it: sources 0, 1, 2 and the destination.
unsigned selectors(const Inst &I) {
  unsigned Bits = I.Src[0].Modifiers & OpSelHi ? 8 : 0;
  for (unsigned N = 0; N != 3; ++N)
    Bits |= I.Src[N].Modifiers & OpSel ? 1u << N : 0;
  return Bits;
}

/// Puts \p Width bits at \p Shift into what \p Old has.
U32 inserted(U32 Old, U32 Value, unsigned Shift, unsigned Width) {
  U32 Field = (Width == 32 ? ~U32(0) : (U32(1) << Width) - 1) << Shift;
  return (Old & ~Field) | (Value << Shift & Field);
}

constexpr Operation rounded(const char *Name, Handler Fn, ValueType Dst,
                            ValueType A, ValueType B = ValueType::None,
                            ValueType C = ValueType::None) {
  Operation Op{Name, Fn, Dst, {A, B, C}};
  Op.FloatMode = NearestMode;
  return Op;
}

// Without a scale.

/// A byte, chosen by SDWA or byte_sel, to a float.
template <Format From> void byteToSingle(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0);
  Codec<From> C(W);
  unsigned Shift = 8 * unsigned(I.Immediate);
  for (unsigned L = 0; L != NumLanes; ++L)
    W.Thread->Scratch.Result[0][L] =
        std::bit_cast<U32>(F32(C.decode(A[L] >> Shift)));
  writeBack(W, I);
}
/// Two bytes of the half that SDWA or op_sel chooses.
template <Format From> void bytesToPair(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0);
  Codec<From> C(W);
  for (unsigned L = 0; L != NumLanes; ++L)
    for (unsigned N = 0; N != 2; ++N)
      W.Thread->Scratch.Result[N][L] =
          std::bit_cast<U32>(F32(C.decode(A[L] >> (8 * N))));
  writeBackPair(W, I);
}
/// Two floats to the low bits of the result, first source lowest.
template <Format To> void singlesToPair(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<F32> A(W, I, 0), B(W, I, 1);
  Codec<To> C(W);
  for (unsigned L = 0; L != NumLanes; ++L)
    W.Thread->Scratch.Result[0][L] = C.encode(F64(A[L])) | C.encode(F64(B[L]))
                                                               << widthOf<To>();
  writeBack(W, I);
}
/// Stochastically to one byte or half, which the selectors name.
template <Format To> void singleToRandom(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<F32> A(W, I, 0);
  const U32 *Random = source32(W, I, 1), *Old = W.vgpr(I.Dst.Reg);
  Codec<To> C(W);
  unsigned Part = I.Immediate ? unsigned(I.Immediate) : selectors(I) >> 2;
  unsigned Shift = widthOf<To>() == 16 ? 16 * (Part >> 1) : 8 * Part;
  for (unsigned L = 0; L != NumLanes; ++L)
    W.Thread->Scratch.Result[0][L] = inserted(
        Old[L], C.encode(F64(A[L]), {true, Random[L]}), Shift, widthOf<To>());
  writeBack(W, I);
}
F32 fromBrain(U16 A) { return std::bit_cast<F32>(U32(A) << 16); }

// With a scale. Values of one format in as many registers as they fill.

/// Element \p N of a packed tuple.
template <Format K>
U32 element(const U32 *Row, unsigned L, unsigned N, unsigned Offset = 0) {
  constexpr unsigned Width = widthOf<K>();
  unsigned Bit = Offset + N * Width;
  U64 Bits = Row[Bit / 32 * NumLanes + L];
  if (Bit % 32 + Width > 32)
    Bits |= U64(Row[(Bit / 32 + 1) * NumLanes + L]) << 32;
  return U32(Bits >> (Bit % 32) & ((U64(1) << Width) - 1));
}
template <Format K> void setElement(U32 *Words, unsigned N, U32 Value) {
  constexpr unsigned Width = widthOf<K>();
  unsigned Bit = N * Width;
  U64 Wide = U64(Value) << (Bit % 32);
  Words[Bit / 32] |= U32(Wide);
  if (Bit % 32 + Width > 32)
    Words[Bit / 32 + 1] |= U32(Wide >> 32);
}

template <Format To, unsigned Count> constexpr unsigned numWords() {
  return (widthOf<To>() * Count + 31) / 32;
}

/// The rows of a source of \p Bits bits, one after the other.
template <unsigned Bits> const U32 *tuple(Wave &W, const Inst &I, unsigned N) {
  if constexpr (Bits <= 32)
    return source32(W, I, N);
  else if constexpr (Bits <= 64)
    return source64(W, I, N).Low;
  else
    return W.vgpr(I.Src[N].Reg);
}

/// \p Count elements up, multiplied by the scale in the second source. The
/// selectors choose where in the first register a few of them begin.
template <Format From, Format To, unsigned Count>
void scaleUp(Wave &W, const Inst &I) {
  constexpr unsigned Bits = widthOf<From>() * Count;
  constexpr unsigned Words = numWords<To, Count>();
  unsigned Select = selectors(I);
  unsigned Offset = Bits == 8    ? 8 * (Select & 3)
                    : Bits == 16 ? 16 * (Select & 1)
                                 : 0;
  const U32 *Source = tuple<Bits>(W, I, 0);
  const U32 *Scales = source32(W, I, 1);
  Codec<From> In(W);
  Codec<To> Out(W);
  alignas(64) U32 Result[Words][NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L) {
    F64 Scale = scaleOf(Scales[L]);
    U32 Packed[Words] = {};
    for (unsigned N = 0; N != Count; ++N)
      setElement<To>(
          Packed, N,
          Out.encode(In.decode(element<From>(Source, L, N, Offset)) * Scale));
    // A single half goes where the destination's selector says.
    if (Count == 1 && widthOf<To>() == 16)
      Packed[0] =
          inserted(W.vgpr(I.Dst.Reg)[L], Packed[0], Select & 8 ? 16 : 0, 16);
    for (unsigned N = 0; N != Words; ++N)
      Result[N][L] = Packed[N];
  }
  for (unsigned N = 0; N != Words; ++N)
    writeMasked(W.vgpr(I.Dst.Reg + N), Result[N], W.exec());
}

/// Where the operands of a conversion down are.
enum class Shape {
  Singles, ///< Two floats, scale.
  Packed,  ///< A tuple, scale.
  Random,  ///< A tuple, random seed, scale.
  Halves,  ///< Two tuples that interleave, scale.
};

template <unsigned Count, Shape S> constexpr unsigned perSource() {
  return S == Shape::Singles ? 1 : S == Shape::Halves ? Count / 2 : Count;
}

template <Format From, Format To, unsigned Count, Shape S>
void scaleDown(Wave &W, const Inst &I) {
  constexpr unsigned Bits = widthOf<To>() * Count;
  constexpr unsigned Words = numWords<To, Count>();
  constexpr unsigned ScaleSource = S == Shape::Packed ? 1 : 2;
  unsigned Select = selectors(I);
  // A byte or half of the destination; the others stay.
  unsigned Offset = Bits == 8 ? 8 * (Select >> 2) : 16 * (Select >> 3);
  const U32 *A = tuple<widthOf<From>() * perSource<Count, S>()>(W, I, 0);
  const U32 *B = S == Shape::Packed   ? A
                 : S == Shape::Halves ? W.vgpr(I.Src[1].Reg)
                                      : source32(W, I, 1);
  const U32 *Scales = source32(W, I, ScaleSource);
  Codec<From> In(W);
  Codec<To> Out(W);
  alignas(64) U32 Result[Words][NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L) {
    F64 Scale = scaleOf(Scales[L]);
    U32 Packed[Words] = {}, Seed = B[L];
    for (unsigned N = 0; N != Count; ++N) {
      U32 Element;
      if constexpr (S == Shape::Singles)
        Element = N ? B[L] : A[L];
      else if constexpr (S == Shape::Halves)
        Element = element<From>(N % 2 ? B : A, L, N / 2);
      else
        Element = element<From>(A, L, N);
      U32 Code =
          Out.encode(In.decode(Element) / Scale, {S == Shape::Random, Seed});
      setElement<To>(Packed, N, Code);
      Seed = nextRandom(Seed);
    }
    if constexpr (Bits < 32)
      Packed[0] = inserted(W.vgpr(I.Dst.Reg)[L], Packed[0], Offset, Bits);
    for (unsigned N = 0; N != Words; ++N)
      Result[N][L] = Packed[N];
  }
  for (unsigned N = 0; N != Words; ++N)
    writeMasked(W.vgpr(I.Dst.Reg + N), Result[N], W.exec());
}

/// Float types, so that the decoder keeps the modifiers.
constexpr ValueType tupleType(unsigned Bits) {
  return Bits > 64   ? ValueType::Wide
         : Bits > 32 ? ValueType::F64
                     : ValueType::B32;
}

template <Format From, Format To, unsigned Count = 1>
constexpr Operation up(const char *Name) {
  return rounded(Name, scaleUp<From, To, Count>,
                 Count * widthOf<To>() > 32 ? ValueType::Wide : ValueType::U32,
                 tupleType(widthOf<From>() * Count), ValueType::B32,
                 ValueType::B32);
}
template <Format From, Format To, unsigned Count, Shape S>
constexpr Operation down(const char *Name) {
  constexpr ValueType A = tupleType(widthOf<From>() * perSource<Count, S>());
  return rounded(Name, scaleDown<From, To, Count, S>,
                 Count * widthOf<To>() > 32 ? ValueType::Wide : ValueType::U32,
                 A, S == Shape::Halves ? A : ValueType::B32, ValueType::B32);
}

#define FROM_BYTES(Name, F)                                                    \
  up<F, Format::Single>("v_cvt_scalef32_f32_" Name),                           \
      up<F, Format::Half>("v_cvt_scalef32_f16_" Name),                         \
      up<F, Format::Single, 2>("v_cvt_scalef32_pk_f32_" Name),                 \
      up<F, Format::Half, 2>("v_cvt_scalef32_pk_f16_" Name),                   \
      up<F, Format::Brain, 2>("v_cvt_scalef32_pk_bf16_" Name)
#define TO_BYTES(Name, F)                                                      \
  down<Format::Single, F, 2, Shape::Singles>("v_cvt_scalef32_pk_" Name         \
                                             "_f32"),                          \
      down<Format::Half, F, 2, Shape::Packed>("v_cvt_scalef32_pk_" Name        \
                                              "_f16"),                         \
      down<Format::Brain, F, 2, Shape::Packed>("v_cvt_scalef32_pk_" Name       \
                                               "_bf16")
#define TO_RANDOM_BYTE(Name, F)                                                \
  down<Format::Single, F, 1, Shape::Random>("v_cvt_scalef32_sr_" Name "_f32"), \
      down<Format::Half, F, 1, Shape::Random>("v_cvt_scalef32_sr_" Name        \
                                              "_f16"),                         \
      down<Format::Brain, F, 1, Shape::Random>("v_cvt_scalef32_sr_" Name       \
                                               "_bf16")
#define SIX_BITS(Name, F)                                                      \
  up<F, Format::Single, 32>("v_cvt_scalef32_pk32_f32_" Name),                  \
      up<F, Format::Half, 32>("v_cvt_scalef32_pk32_f16_" Name),                \
      up<F, Format::Brain, 32>("v_cvt_scalef32_pk32_bf16_" Name),              \
      down<Format::Half, F, 32, Shape::Packed>("v_cvt_scalef32_pk32_" Name     \
                                               "_f16"),                        \
      down<Format::Brain, F, 32, Shape::Packed>("v_cvt_scalef32_pk32_" Name    \
                                                "_bf16"),                      \
      down<Format::Single, F, 32, Shape::Halves>("v_cvt_scalef32_2xpk16_" Name \
                                                 "_f32"),                      \
      down<Format::Single, F, 32, Shape::Random>(                              \
          "v_cvt_scalef32_sr_pk32_" Name "_f32"),                              \
      down<Format::Half, F, 32, Shape::Random>("v_cvt_scalef32_sr_pk32_" Name  \
                                               "_f16"),                        \
      down<Format::Brain, F, 32, Shape::Random>("v_cvt_scalef32_sr_pk32_" Name \
                                                "_bf16")

constexpr Operation Rows[] = {
    rounded("v_cvt_f32_fp8", byteToSingle<Format::Fp8>, ValueType::F32,
            ValueType::U32),
    rounded("v_cvt_f32_bf8", byteToSingle<Format::Bf8>, ValueType::F32,
            ValueType::U32),
    rounded("v_cvt_pk_f32_fp8", bytesToPair<Format::Fp8>, ValueType::U64,
            ValueType::U16),
    rounded("v_cvt_pk_f32_bf8", bytesToPair<Format::Bf8>, ValueType::U64,
            ValueType::U16),
    keepsHigh(rounded("v_cvt_pk_fp8_f32", singlesToPair<Format::Fp8>,
                      ValueType::U16, ValueType::F32, ValueType::F32)),
    keepsHigh(rounded("v_cvt_pk_bf8_f32", singlesToPair<Format::Bf8>,
                      ValueType::U16, ValueType::F32, ValueType::F32)),
    rounded("v_cvt_pk_bf16_f32", singlesToPair<Format::Brain>, ValueType::U32,
            ValueType::F32, ValueType::F32),
    rounded("v_cvt_sr_fp8_f32", singleToRandom<Format::Fp8>, ValueType::U32,
            ValueType::F32, ValueType::U32, ValueType::B32),
    rounded("v_cvt_sr_bf8_f32", singleToRandom<Format::Bf8>, ValueType::U32,
            ValueType::F32, ValueType::U32, ValueType::B32),
    rounded("v_cvt_sr_f16_f32", singleToRandom<Format::Half>, ValueType::U32,
            ValueType::F32, ValueType::U32, ValueType::B32),
    rounded("v_cvt_sr_bf16_f32", singleToRandom<Format::Brain>, ValueType::U32,
            ValueType::F32, ValueType::U32, ValueType::B32),
    vop<fromBrain>("v_cvt_f32_bf16"),

    FROM_BYTES("fp8", Format::Fp8),
    FROM_BYTES("bf8", Format::Bf8),
    up<Format::Fp4, Format::Single, 2>("v_cvt_scalef32_pk_f32_fp4"),
    up<Format::Fp4, Format::Half, 2>("v_cvt_scalef32_pk_f16_fp4"),
    up<Format::Fp4, Format::Brain, 2>("v_cvt_scalef32_pk_bf16_fp4"),
    TO_BYTES("fp8", Format::Fp8),
    TO_BYTES("bf8", Format::Bf8),
    TO_BYTES("fp4", Format::Fp4),
    TO_RANDOM_BYTE("fp8", Format::Fp8),
    TO_RANDOM_BYTE("bf8", Format::Bf8),
    down<Format::Single, Format::Fp4, 2, Shape::Random>(
        "v_cvt_scalef32_sr_pk_fp4_f32"),
    down<Format::Half, Format::Fp4, 2, Shape::Random>(
        "v_cvt_scalef32_sr_pk_fp4_f16"),
    down<Format::Brain, Format::Fp4, 2, Shape::Random>(
        "v_cvt_scalef32_sr_pk_fp4_bf16"),
    SIX_BITS("fp6", Format::Fp6),
    SIX_BITS("bf6", Format::Bf6),
};

} // namespace

std::span<const Operation> smallFloatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
