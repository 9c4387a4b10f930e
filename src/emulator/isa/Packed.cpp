// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed operations (VOP3P): each half of the result takes its sources from
// the halves that op_sel and op_sel_hi name.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/HalfSelect.h"
#include "emulator/isa/MinMax.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Tables.h"
#include <xmmintrin.h>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class R> R unitRange(R Value, bool NanToZero) {
  if (isNan(Value))
    return NanToZero ? R(0) : Value;
  return isNegative(Value) ? R(0) : bitsOf(Value) > bitsOf(R(1)) ? R(1) : Value;
}

template <auto F, class R, class... A, size_t... N>
void mapHalves(Wave &W, const Inst &I, std::index_sequence<N...>) {
  constexpr bool IsFloat = std::is_same_v<R, F16>;
  const U32 *Sources[] = {source32(W, I, N)...};
  const HalfSelect Select[] = {HalfSelect(I.Src[N], IsFloat)...};
  U32 *Result = W.Thread->Scratch.Result[0];
  if (IsFloat && !keepsDenormalHalves(W)) [[unlikely]] {
    bool In = !(W.Mode >> mode::DenormDouble & 1);
    bool Out = !(W.Mode >> mode::DenormDouble & 2);
    for (unsigned L = 0; L != NumLanes; ++L) {
      R Low = F(flushedHalf(fromBits<A>(Select[N].low(Sources[N][L])), In)...);
      R High =
          F(flushedHalf(fromBits<A>(Select[N].high(Sources[N][L])), In)...);
      Result[L] = toBits(flushedHalf(Low, Out)) | toBits(flushedHalf(High, Out))
                                                      << 16;
    }
  } else {
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L) {
      R Low = F(fromBits<A>(Select[N].low(Sources[N][L]))...);
      R High = F(fromBits<A>(Select[N].high(Sources[N][L]))...);
      Result[L] = toBits(Low) | toBits(High) << 16;
    }
  }
  if constexpr (IsFloat) {
    if (I.Clamp) {
      bool NanToZero = W.Mode & mode::Dx10Clamp;
      for (unsigned L = 0; L != NumLanes; ++L) {
        F16 Low = unitRange(fromBits<F16>(Result[L]), NanToZero);
        F16 High = unitRange(fromBits<F16>(Result[L] >> 16), NanToZero);
        Result[L] = toBits(Low) | toBits(High) << 16;
      }
    }
  }
  writeMasked(W.vgpr(I.Dst.Reg), Result, W.exec());
}

template <class R, class... A> struct PackedSignature {
  template <auto F> static void handler(Wave &W, const Inst &I) {
    if (W.exec())
      mapHalves<F, R, A...>(W, I, std::index_sequence_for<A...>());
  }
  static constexpr Operation row(const char *Name, Handler Fn) {
    Operation Op{Name, Fn, ValueType::Pk16};
    for (unsigned N = 0; N != sizeof...(A); ++N)
      Op.Src[N] = ValueType::Pk16;
    Op.FloatMode = std::is_same_v<R, F16> ? 2 : 0;
    return Op;
  }
};
template <class R, class... A>
PackedSignature<R, A...> packedSignatureOf(R (*)(A...));

template <auto F> constexpr Operation pk(const char *Name) {
  using Sig = decltype(packedSignatureOf(+F));
  return Sig::row(Name, &Sig::template handler<F>);
}
template <auto F, auto Saturating> constexpr Operation pkSat(const char *Name) {
  Operation Op = pk<F>(Name);
  Op.Saturating = pk<Saturating>(Name).Fn;
  return Op;
}

/// Minimum and maximum, which depend on MODE.
template <Pick P, NanRule Rule> F16 pickHalf(F16 A, F16 B, F16 C) {
  return pick<F16, P, Rule>(A, B, C);
}
template <Pick P, NanRule Rule> F16 pickHalf2(F16 A, F16 B) {
  return pick<F16, P, Rule>(A, B, B);
}
template <Pick P, NanRule Rule> void pickHalvesBy(Wave &W, const Inst &I) {
  if constexpr (P < Pick::Min3)
    PackedSignature<F16, F16, F16>::handler<pickHalf2<P, Rule>>(W, I);
  else
    PackedSignature<F16, F16, F16, F16>::handler<pickHalf<P, Rule>>(W, I);
}
template <Pick P> void pickHalves(Wave &W, const Inst &I) {
  if (W.Mode & mode::Ieee)
    pickHalvesBy<P, NanRule::Ieee>(W, I);
  else
    pickHalvesBy<P, NanRule::Plain>(W, I);
}
template <Pick P> constexpr Operation pickPackedRow(const char *Name) {
  if constexpr (P < Pick::Min3)
    return PackedSignature<F16, F16, F16>::row(Name, pickHalves<P>);
  else
    return PackedSignature<F16, F16, F16, F16>::row(Name, pickHalves<P>);
}
template <Pick P> constexpr Operation pickPackedNumberRow(const char *Name) {
  Operation Op = pickPackedRow<P>(Name);
  Op.Fn = pickHalvesBy<P, NanRule::Number>;
  return Op;
}

template <class T> T sum(T A, T B) { return T(A + B); }
template <class T> T difference(T A, T B) { return T(A - B); }
template <class T> T minOf(T A, T B) { return A < B ? A : B; }
template <class T> T maxOf(T A, T B) { return A > B ? A : B; }
template <class T> T multiplyAdd(T A, T B, T C) {
  return T(U32(A) * U32(B) + U32(C));
}
template <class T> T multiplyAddSat(T A, T B, T C) {
  return saturate<T>(I64(A) * I64(B) + I64(C));
}
F16 addHalf(F16 A, F16 B) { return toHalf(F32(A) + F32(B)); }
F16 multiplyHalf(F16 A, F16 B) { return toHalf(F32(A) * F32(B)); }

// Packed single precision works on register pairs in the same way.
struct PairSelect {
  explicit PairSelect(const Operand &O)
      : LowFrom(O.Modifiers & OpSel ? 1 : 0),
        HighFrom(O.Modifiers & OpSelHi ? 1 : 0),
        LowFlip(O.Modifiers & Negate ? 0x80000000 : 0),
        HighFlip(O.Modifiers & Absolute ? 0x80000000 : 0) {}
  unsigned LowFrom, HighFrom;
  U32 LowFlip, HighFlip;
};

template <auto F, unsigned Count> void mapPairs(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *Low[3], *High[3];
  U32 LowFlip[3], HighFlip[3];
  for (unsigned N = 0; N != Count; ++N) {
    Pair P = source64(W, I, N);
    // A 32-bit constant serves both halves.
    if (I.Src[N].Kind == Source::Constant)
      P.High = P.Low;
    PairSelect S(I.Src[N]);
    Low[N] = S.LowFrom ? P.High : P.Low;
    High[N] = S.HighFrom ? P.High : P.Low;
    LowFlip[N] = S.LowFlip;
    HighFlip[N] = S.HighFlip;
  }
  auto Value = [](const U32 *Row, unsigned L, U32 Flip) {
    return std::bit_cast<F32>(Row[L] ^ Flip);
  };
  U32 *Result[] = {W.Thread->Scratch.Result[0], W.Thread->Scratch.Result[1]};
  for (unsigned Half = 0; Half != 2; ++Half) {
    const U32 **From = Half ? High : Low;
    const U32 *Flip = Half ? HighFlip : LowFlip;
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L) {
      F32 R;
      if constexpr (Count == 3)
        R = F(Value(From[0], L, Flip[0]), Value(From[1], L, Flip[1]),
              Value(From[2], L, Flip[2]));
      else
        R = F(Value(From[0], L, Flip[0]), Value(From[1], L, Flip[1]));
      Result[Half][L] = std::bit_cast<U32>(R);
    }
    if (I.Clamp) {
      bool NanToZero = W.Mode & mode::Dx10Clamp;
      for (unsigned L = 0; L != NumLanes; ++L)
        Result[Half][L] = std::bit_cast<U32>(
            unitRange(std::bit_cast<F32>(Result[Half][L]), NanToZero));
    }
  }
  writeMasked(W.vgpr(I.Dst.Reg), Result[0], W.exec());
  writeMasked(W.vgpr(I.Dst.Reg + 1u), Result[1], W.exec());
}

/// Low half from the first source, high half from the second.
void movePair(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Pair A = source64(W, I, 0), B = source64(W, I, 1);
  const U32 *Low = I.Src[0].Modifiers & OpSel ? A.High : A.Low;
  const U32 *High = I.Src[1].Modifiers & OpSel ? B.High : B.Low;
  U32 *First = W.Thread->Scratch.Result[0],
      *Second = W.Thread->Scratch.Result[1];
  std::memcpy(First, Low, NumLanes * sizeof(U32));
  std::memcpy(Second, High, NumLanes * sizeof(U32));
  writeMasked(W.vgpr(I.Dst.Reg), First, W.exec());
  writeMasked(W.vgpr(I.Dst.Reg + 1u), Second, W.exec());
}

template <unsigned Count>
constexpr Operation pairRow(const char *Name, Handler Fn, uint8_t Mode) {
  Operation Op{Name, Fn, ValueType::Pk32};
  for (unsigned N = 0; N != Count; ++N)
    Op.Src[N] = ValueType::Pk32;
  Op.FloatMode = Mode;
  return Op;
}

F32 addSingle(F32 A, F32 B) { return A + B; }
F32 multiplySingle(F32 A, F32 B) { return A * B; }
F32 fusedSingle(F32 A, F32 B, F32 C) { return __builtin_fmaf(A, B, C); }

/// The decoder gives inline constants of mixed operations as halves.
U32 mixConstant(U32 Bits) {
  bool IsInteger = Bits <= 64 || Bits >= U32(-16);
  constexpr U32 HalfOfOneOverTwoPi = 0x3118, OneOverTwoPi = 0x3e22f983;
  if (Bits == HalfOfOneOverTwoPi)
    return OneOverTwoPi;
  return IsInteger ? Bits : toBits(F32(fromBits<F16>(Bits)));
}

/// Rounds floats as halves are rounded, whatever the current mode. A function
/// of its own, so that nothing moves across the change.
[[gnu::noinline]] void roundToHalves(const Wave &W, const F32 *From, U32 *To) {
  constexpr U32 RoundMask = 3 << 13, MaskedExceptions = 0x1f80;
  U32 Saved = _mm_getcsr();
  _mm_setcsr(MaskedExceptions | (W.HostControl[2] & RoundMask));
  bool Flush = !(W.Mode >> mode::DenormDouble & 2);
  for (unsigned L = 0; L != NumLanes; ++L)
    To[L] = toBits(flushedHalf(toHalf(From[L]), Flush));
  _mm_setcsr(Saved);
}

/// v_fma_mix: each source is a float, or a half where op_sel_hi is set. The
/// modifiers are those of floats.
enum class MixTo { Float, Low, High };
template <MixTo To> void mix(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  alignas(64) F32 Values[3][NumLanes];
  for (unsigned N = 0; N != 3; ++N) {
    const Operand &O = I.Src[N];
    const U32 *Row = source32(W, I, N);
    if (O.Kind == Source::Constant && !(O.Modifiers & OpSelHi))
      Row =
          broadcast(W.Thread->Scratch.Source[N][0], mixConstant(U32(O.Value)));
    U32 Shift = O.Modifiers & OpSel ? 16 : 0;
    bool Flush = !(W.Mode >> mode::DenormDouble & 1);
    for (unsigned L = 0; L != NumLanes; ++L) {
      F32 Value = O.Modifiers & OpSelHi
                      ? F32(flushedHalf(fromBits<F16>(Row[L] >> Shift), Flush))
                      : std::bit_cast<F32>(Row[L]);
      if (O.Modifiers & Absolute)
        Value = magnitude(Value);
      Values[N][L] = O.Modifiers & Negate ? -Value : Value;
    }
  }
  U32 *Result = W.Thread->Scratch.Result[0];
  const U32 *Old = W.vgpr(I.Dst.Reg);
  bool NanToZero = W.Mode & mode::Dx10Clamp;
  for (unsigned L = 0; L != NumLanes; ++L) {
    F32 R = __builtin_fmaf(Values[0][L], Values[1][L], Values[2][L]);
    Values[0][L] = I.Clamp ? unitRange(R, NanToZero) : R;
  }
  if constexpr (To == MixTo::Float)
    std::memcpy(Result, Values[0], sizeof(Values[0]));
  else
    roundToHalves(W, Values[0], Result);
  for (unsigned L = 0; To != MixTo::Float && L != NumLanes; ++L)
    Result[L] = To == MixTo::Low ? (Old[L] & 0xffff0000) | Result[L]
                                 : (Old[L] & 0xffff) | Result[L] << 16;
  writeMasked(W.vgpr(I.Dst.Reg), Result, W.exec());
}

/// The short form without selectors: low with low, high with high.
void accumulateHalves(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  // The encoding names no third source: it is the destination.
  const U32 *Sources[] = {source32(W, I, 0), source32(W, I, 1),
                          W.vgpr(I.Dst.Reg)};
  bool In = !(W.Mode >> mode::DenormDouble & 1);
  bool Out = !(W.Mode >> mode::DenormDouble & 2);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    auto Source = [&](unsigned N, unsigned Shift) {
      return flushedHalf(fromBits<F16>(Sources[N][L] >> Shift), In);
    };
    auto Fused = [&](unsigned Shift) {
      F16 R = fmaHalf(Source(0, Shift), Source(1, Shift), Source(2, Shift));
      return toBits(flushedHalf(R, Out)) << Shift;
    };
    Result[L] = Fused(0) | Fused(16);
  }
  writeBack(W, I);
}
constexpr Operation inDoubleMode(Operation Op) {
  Op.FloatMode = 2;
  return Op;
}

constexpr Operation mixRow(const char *Name, Handler Fn) {
  Operation Op{Name,
               Fn,
               ValueType::Pk16,
               {ValueType::Pk16, ValueType::Pk16, ValueType::Pk16}};
  Op.FloatMode = 1;
  return Op;
}

constexpr Operation Rows[] = {
    pkSat<sum<I16>, addSat<I16>>("v_pk_add_i16"),
    pkSat<difference<I16>, subSat<I16>>("v_pk_sub_i16"),
    pkSat<sum<U16>, addSat<U16>>("v_pk_add_u16"),
    pkSat<difference<U16>, subSat<U16>>("v_pk_sub_u16"),
    pkSat<multiplyAdd<I16>, multiplyAddSat<I16>>("v_pk_mad_i16"),
    pkSat<multiplyAdd<U16>, multiplyAddSat<U16>>("v_pk_mad_u16"),
    pk<[](U16 A, U16 B) { return U16(U32(A) * B); }>("v_pk_mul_lo_u16"),
    pk<[](U16 A, U16 B) { return U16(B << (A & 15)); }>("v_pk_lshlrev_b16"),
    pk<[](U16 A, U16 B) { return U16(B >> (A & 15)); }>("v_pk_lshrrev_b16"),
    pk<[](U16 A, I16 B) { return I16(B >> (A & 15)); }>("v_pk_ashrrev_i16"),
    pk<minOf<I16>>("v_pk_min_i16"),
    pk<maxOf<I16>>("v_pk_max_i16"),
    pk<minOf<U16>>("v_pk_min_u16"),
    pk<maxOf<U16>>("v_pk_max_u16"),

    pk<addHalf>("v_pk_add_f16"),
    pk<multiplyHalf>("v_pk_mul_f16"),
    pk<fmaHalf>("v_pk_fma_f16"),
    inDoubleMode({"v_pk_fmac_f16",
                  accumulateHalves,
                  ValueType::U32,
                  {ValueType::U32, ValueType::U32}}),
    pickPackedRow<Pick::Min>("v_pk_min_f16"),
    pickPackedRow<Pick::Max>("v_pk_max_f16"),
    pickPackedNumberRow<Pick::Min>("v_pk_min_num_f16"),
    pickPackedNumberRow<Pick::Max>("v_pk_max_num_f16"),
    pickPackedRow<Pick::Minimum>("v_pk_minimum_f16"),
    pickPackedRow<Pick::Maximum>("v_pk_maximum_f16"),
    pickPackedRow<Pick::Minimum3>("v_pk_minimum3_f16"),
    pickPackedRow<Pick::Maximum3>("v_pk_maximum3_f16"),

    pairRow<2>("v_pk_add_f32", mapPairs<addSingle, 2>, 1),
    pairRow<2>("v_pk_mul_f32", mapPairs<multiplySingle, 2>, 1),
    pairRow<3>("v_pk_fma_f32", mapPairs<fusedSingle, 3>, 1),
    pairRow<2>("v_pk_mov_b32", movePair, 0),

    mixRow("v_fma_mix_f32", mix<MixTo::Float>),
    mixRow("v_fma_mixlo_f16", mix<MixTo::Low>),
    mixRow("v_fma_mixhi_f16", mix<MixTo::High>),
};

} // namespace

std::span<const Operation> packedRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
