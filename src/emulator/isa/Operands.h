// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From operand descriptors to lanes and back. A handler sees plain arrays of
// 64 lanes; broadcasts, modifiers, DPP and SDWA happen here.
#ifndef LUTHIER_EMULATOR_ISA_OPERANDS_H
#define LUTHIER_EMULATOR_ISA_OPERANDS_H

#include "emulator/core/Wave.h"
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/LdsDirect.h"
#include "emulator/isa/Operation.h"
#include "emulator/isa/Simd.h"
#include "emulator/isa/Types.h"
#include <bit>
#include <tuple>
#include <utility>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Prepares a source that is not a plain register, in the thread's scratch.
const U32 *prepareSource(Wave &W, const Inst &I, unsigned N);
void preparePair(Wave &W, const Inst &I, unsigned N);
/// Output modifiers and clamp, on the scratch results.
void modifyResults(Wave &W, const Inst &I);
/// Moves scratch results to the destination: output modifiers, partial writes,
/// and the lanes EXEC allows.
void writeBack(Wave &W, const Inst &I);
void writeBackPair(Wave &W, const Inst &I);
/// For operations that write a register other than the destination operand.
void writeMasked(U32 *To, const U32 *From, uint64_t Mask);

/// All ones when bit \p L of \p Bits is set. Blends are spelled with it, since
/// a conditional expression tempts the compiler into selecting addresses.
inline U32 laneSelector(U32 Bits, unsigned L) {
  return U32(I32(Bits << (31 - L)) >> 31);
}

void selectLanes(ThreadContext &Thread, uint64_t Lanes);

/// A selector for each lane, from a mask.
inline const U32 *selectors(Wave &W, uint64_t Lanes) {
  ThreadContext &Thread = *W.Thread;
  if (Thread.SelectedLanes != Lanes) [[unlikely]]
    selectLanes(Thread, Lanes);
  return Thread.Selectors;
}
inline U32 blend(U32 New, U32 Old, U32 Selector) {
  return (New & Selector) | (Old & ~Selector);
}

/// The same value in all lanes.
inline const U32 *broadcast(U32 *To, U32 Value) {
  for (unsigned L = 0; L != NumLanes; ++L)
    To[L] = Value;
  return To;
}

inline const U32 *source32(Wave &W, const Inst &I, unsigned N) {
  const Operand &O = I.Src[N];
  if (!O.Slow) [[likely]]
    return W.vgpr(O.Reg);
  if (O.Plain)
    return broadcast(W.Thread->Scratch.Source[N][0],
                     O.Kind == Source::Sgpr ? W.S[O.Reg] : U32(O.Value));
  return prepareSource(W, I, N);
}

struct Pair {
  const U32 *Low;
  const U32 *High;
};

inline Pair source64(Wave &W, const Inst &I, unsigned N) {
  const Operand &O = I.Src[N];
  if (!O.Slow) [[likely]]
    return {W.vgpr(O.Reg), W.vgpr(O.Reg + 1u)};
  preparePair(W, I, N);
  return {W.Thread->Scratch.Source[N][0], W.Thread->Scratch.Source[N][1]};
}

template <class T> struct Lanes {
  const U32 *Base;
  Lanes(Wave &W, const Inst &I, unsigned N) : Base(source32(W, I, N)) {}
  T operator[](unsigned L) const { return fromBits<T>(Base[L]); }
};
template <class T>
  requires(sizeof(T) == 8)
struct Lanes<T> {
  Pair Base;
  Lanes(Wave &W, const Inst &I, unsigned N) : Base(source64(W, I, N)) {}
  T operator[](unsigned L) const {
    return std::bit_cast<T>(Base.Low[L] | uint64_t(Base.High[L]) << 32);
  }
};

template <class R> void storeLane(U32 *Low, U32 *High, unsigned L, R Value) {
  if constexpr (sizeof(R) == 8) {
    uint64_t Bits = std::bit_cast<uint64_t>(Value);
    Low[L] = U32(Bits);
    High[L] = U32(Bits >> 32);
  } else {
    Low[L] = toBits(Value);
  }
}

template <class R>
void blendResult(U32 *Low, U32 *High, unsigned L, R Value, U32 Selector) {
  if constexpr (sizeof(R) == 8) {
    uint64_t Bits = std::bit_cast<uint64_t>(Value);
    Low[L] = blend(U32(Bits), Low[L], Selector);
    High[L] = blend(U32(Bits >> 32), High[L], Selector);
  } else {
    Low[L] = blend(toBits(Value), Low[L], Selector);
  }
}

/// The row that a handler computes its result in: the destination itself where
/// every lane is written just so. The high half of a pair is the next row.
inline U32 *resultRow(Wave &W, const Inst &I) {
  bool Direct = !I.SlowResult && W.exec() == W.LaneMask;
  return Direct ? W.vgpr(I.Dst.Reg) : W.Thread->Scratch.Result[0];
}
inline void finishRow(Wave &W, const Inst &I, const U32 *Row) {
  if (Row == W.Thread->Scratch.Result[0])
    writeBack(W, I);
}
inline void finishPair(Wave &W, const Inst &I, const U32 *Row) {
  if (Row == W.Thread->Scratch.Result[0])
    writeBackPair(W, I);
}

inline bool keepsDenormalHalves(const Wave &W) {
  return (W.Mode >> mode::DenormDouble & 3) == 3;
}

/// mapLanes with denormal halves flushed as MODE asks.
template <auto F, class R, class... A, size_t... N>
void mapFlushing(Wave &W, const Inst &I, std::index_sequence<N...>) {
  std::tuple<Lanes<A>...> Sources{Lanes<A>(W, I, N)...};
  bool Sourced = !(W.Mode >> mode::DenormDouble & 1);
  bool Resulting = !(W.Mode >> mode::DenormDouble & 2);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  for (unsigned L = 0; L != NumLanes; ++L)
    storeLane<R>(
        Low, High, L,
        flushedHalf<R>(F(flushedHalf<A>(std::get<N>(Sources)[L], Sourced)...),
                       Resulting));
  if constexpr (sizeof(R) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
}

/// A per-lane function as a handler. Inactive lanes are computed too, and keep
/// what they had.
template <auto F, class R, class... A, size_t... N>
inline void mapLanes(Wave &W, const Inst &I, std::index_sequence<N...>) {
  uint64_t Exec = W.exec();
  if (!Exec)
    return;
  constexpr bool HasHalf =
      std::is_same_v<R, F16> || (std::is_same_v<A, F16> || ...);
  if constexpr (HasHalf)
    if (!keepsDenormalHalves(W)) [[unlikely]]
      return mapFlushing<F, R, A...>(W, I, std::index_sequence<N...>());
  std::tuple<Lanes<A>...> Sources{Lanes<A>(W, I, N)...};
  U32 *Low = I.SlowResult ? W.Thread->Scratch.Result[0] : W.vgpr(I.Dst.Reg);
  U32 *High = Low + NumLanes;
  if (I.SlowResult || Exec == W.LaneMask) {
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L)
      storeLane<R>(Low, High, L, F(std::get<N>(Sources)[L]...));
  } else {
    const U32 *Selectors = selectors(W, Exec);
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L)
      blendResult<R>(Low, High, L, F(std::get<N>(Sources)[L]...), Selectors[L]);
  }
  if (!I.SlowResult)
    return;
  if constexpr (sizeof(R) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
}

template <class R, class... A> struct Signature {
  template <auto F> static void handler(Wave &W, const Inst &I) {
    mapLanes<F, R, A...>(W, I, std::index_sequence_for<A...>());
  }
  static constexpr Operation row(const char *Name, Handler Fn) {
    Operation Op{Name, Fn};
    Op.Dst = valueType<R>();
    unsigned N = 0;
    ((Op.Src[N++] = valueType<A>()), ...);
    return Op;
  }
};
template <class R, class... A> Signature<R, A...> signatureOf(R (*)(A...));

/// A table row for a per-lane function.
template <auto F> constexpr Operation vop(const char *Name) {
  using Sig = decltype(signatureOf(+F));
  return Sig::row(Name, &Sig::template handler<F>);
}
/// The same with saturating behaviour under the clamp bit.
template <auto F, auto Clamped> constexpr Operation vopSat(const char *Name) {
  Operation Op = vop<F>(Name);
  Op.Saturating = vop<Clamped>(Name).Fn;
  return Op;
}
/// With another Inst::FloatMode than the types tell.
constexpr Operation inFloatMode(uint8_t Mode, Operation Op) {
  Op.FloatMode = Mode;
  return Op;
}
constexpr Operation keepsHigh(Operation Op) {
  Op.KeepsHigh = true;
  return Op;
}

/// Lanes that a vector instruction may write.
inline uint64_t writableLanes(const Wave &W, const Inst &I) {
  return I.IsDpp ? W.exec() & W.DppMask : W.exec();
}

inline U32 scalar32(Wave &W, const Operand &O) {
  if (O.Kind == Source::Sgpr)
    return W.S[O.Reg];
  if (O.Kind == Source::Constant)
    return U32(O.Value);
  if (O.Reg == sreg::LdsDirect)
    return readLdsDirect(W, W.m0());
  return O.Reg == sreg::Vccz ? W.vcc() == 0 : W.exec() == 0;
}
inline uint64_t scalar64(Wave &W, const Operand &O) {
  if (O.Kind == Source::Sgpr)
    return W.s64(O.Reg);
  if (O.Kind == Source::Constant)
    return O.Value;
  return scalar32(W, O);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_OPERANDS_H
