// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations, branches and messages.
#include "SIDefines.h"
#include "emulator/strict/UndefinedTracker.h"
#include <algorithm>
#include <utility>

namespace luthier::emulator::strict {

static bool isExec(unsigned Reg) {
  return Reg == sreg::Exec || Reg == sreg::Exec + 1;
}

/// All bits from the lowest set one on.
static uint64_t upward(uint64_t Bits) { return Bits | (0 - Bits); }

UndefinedTracker::Scalar UndefinedTracker::scalarSource(const Step &X,
                                                        unsigned N) const {
  const Operand &O = X.I.Src[N];
  bool Wide = isPair(O.Type);
  if (O.Kind == Source::Constant)
    return {O.Value, 0};
  if (O.Kind == Source::Special)
    return {0, O.Reg == sreg::Vccz ? X.S.Plane.s64(sreg::Vcc) : 0};
  if (O.Kind != Source::Sgpr)
    return {};
  Scalar Result{X.W.s64(O.Reg), isExec(O.Reg) ? 0 : X.S.Plane.s64(O.Reg)};
  if (!Wide) {
    Result.Value &= ~0u;
    Result.Undefined &= ~0u;
  }
  return Result;
}

/// Undefined bits of the destination.
uint64_t UndefinedTracker::combineScalar(const Step &X, Scalar A,
                                         Scalar B) const {
  uint64_t Any = A.Undefined | B.Undefined;
  const Wave &Plane = X.S.Plane;
  switch (X.Facts.Rule) {
  case UndefinedRule::Copy:
    return A.Undefined;
  case UndefinedRule::AndNot:
    B.Value = ~B.Value;
    [[fallthrough]];
  case UndefinedRule::And:
    return (A.Undefined & B.Undefined) | (A.Undefined & B.Value) |
           (B.Undefined & A.Value);
  case UndefinedRule::OrNot:
    B.Value = ~B.Value;
    [[fallthrough]];
  case UndefinedRule::Or:
    return (A.Undefined & B.Undefined) | (A.Undefined & ~B.Value) |
           (B.Undefined & ~A.Value);
  case UndefinedRule::Xor:
    return Any;
  case UndefinedRule::Upward:
    return upward(Any);
  case UndefinedRule::UpwardMask:
    return upward(Any | Plane.S[sreg::Scc]);
  default:
    break;
  }
  if (X.Facts.ReadsScc)
    Any |= Plane.S[sreg::Scc];
  return Any ? ~uint64_t(0) : 0;
}

/// M0 offsets the number of a source or of the destination.
void UndefinedTracker::stepRelativeScalar(const Step &X) {
  Wave &Plane = X.S.Plane;
  if (Plane.S[sreg::M0])
    report(X, Rule::UndefinedAddress, RegisterFile::Scalar, sreg::M0, 1);
  Inst Copy = X.I;
  if (X.I.Src[0].Kind == Source::Constant)
    Copy.Src[0].Value = 0;
  uint32_t Undefined = std::exchange(Plane.S[sreg::M0], X.W.m0());
  X.Fn(Plane, Copy);
  Plane.Event = WaveEvent::None;
  Plane.S[sreg::M0] = Undefined;
}

/// The handler moves undefined bits as it moves values.
uint64_t UndefinedTracker::moveScalar(const Step &X, Scalar A, Scalar B) {
  const bool SourceIsAmount = X.Facts.Control & 2;
  if (SourceIsAmount && B.Undefined)
    return ~uint64_t(0);
  Wave &Plane = X.S.Plane;
  Inst Copy = X.I;
  const uint64_t Undefined[2] = {A.Undefined,
                                 SourceIsAmount ? B.Value : B.Undefined};
  for (unsigned N = 0; N != 2; ++N) {
    if (X.I.Src[N].Kind == Source::None)
      continue;
    Copy.Src[N].Kind = Source::Constant;
    Copy.Src[N].Value = Undefined[N];
  }
  constexpr unsigned Spare = WaveShadow::FirstSpareScalar;
  Copy.Dst.Reg = Spare;
  const uint32_t Condition = Plane.S[sreg::Scc];
  X.Fn(Plane, Copy);
  Plane.S[sreg::Scc] = Condition;
  return Plane.s64(Spare);
}

/// Undefined bits of the result, \p Old what the destination had.
uint64_t UndefinedTracker::scalarResult(const Step &X, Scalar A, Scalar B,
                                        uint64_t Old) {
  const Inst &I = X.I;
  switch (X.Facts.Rule) {
  case UndefinedRule::Select: {
    const uint64_t Else = X.Facts.KeepsDestination ? Old : B.Undefined;
    if (X.S.Plane.S[sreg::Scc])
      return ~uint64_t(0);
    return X.W.S[sreg::Scc] ? A.Undefined : Else;
  }
  case UndefinedRule::Move:
    return moveScalar(X, A, B);
  case UndefinedRule::BitSet: {
    const unsigned Width = isPair(I.Dst.Type) ? 63 : 31;
    return A.Undefined ? ~uint64_t(0)
                       : Old & ~(uint64_t(1) << (A.Value & Width));
  }
  case UndefinedRule::BitTest: {
    const unsigned Width = isPair(I.Src[0].Type) ? 63 : 31;
    return B.Undefined ? ~uint64_t(0) : A.Undefined >> (B.Value & Width) & 1;
  }
  case UndefinedRule::Equal: {
    // One differing pair of defined bits is enough to know.
    const uint64_t Unknown = A.Undefined | B.Undefined;
    return (A.Value ^ B.Value) & ~Unknown ? 0 : Unknown;
  }
  default:
    // Those with an immediate operand read their destination.
    if (X.Facts.Info.Flags & llvm::SIInstrFlags::SOPK)
      B.Undefined |= Old;
    return combineScalar(X, A, B);
  }
}

/// True if the operand called destination is one: comparisons with an immediate
/// have a source in its place.
static bool hasDestination(const Inst &I, const InstFacts &Facts) {
  if (I.Dst.Kind != Source::Sgpr)
    return false;
  if (isExec(I.Dst.Reg))
    return Facts.WritesExec;
  return llvm::any_of(Facts.ScalarWrites,
                      [&](Span R) { return R.First == I.Dst.Reg; });
}

void UndefinedTracker::stepScalar(const Step &X) {
  Wave &Plane = X.S.Plane;
  const Inst &I = X.I;
  if (X.Facts.IsRelative)
    return stepRelativeScalar(X);
  // What the facts do not name: VCCZ and EXECZ.
  const bool IsPlain = X.Facts.IsPlain && I.Src[0].Kind != Source::Special &&
                       I.Src[1].Kind != Source::Special;
  if (IsPlain && !undefinedLanes(X))
    return defineResults(X);
  if (isClean(X))
    return;
  const bool HasDst = hasDestination(I, X.Facts);
  const bool ToExec = HasDst && isExec(I.Dst.Reg);
  const bool Wide = isPair(I.Dst.Type);
  Scalar B = scalarSource(X, 1);
  if (X.Facts.SavesExec)
    B = {X.W.s64(sreg::Exec), 0};
  uint64_t Result = scalarResult(X, scalarSource(X, 0), B,
                                 HasDst && !ToExec ? Plane.s64(I.Dst.Reg) : 0);
  defineResults(X);
  if (X.Facts.SavesExec) {
    if (uint64_t Bits = Result & X.W.LaneMask)
      report(X, Rule::UndefinedExec, RegisterFile::Scalar, I.Src[0].Reg,
             X.W.WaveSize / 32, Bits);
    return;
  }
  if (!Wide)
    Result &= ~0u;
  if (ToExec) {
    if (uint64_t Bits = Result & X.W.LaneMask)
      report(X, Rule::UndefinedExec, RegisterFile::Scalar, sreg::Exec, 1, Bits);
  } else if (HasDst) {
    Plane.S[I.Dst.Reg] = uint32_t(Result);
    if (Wide)
      Plane.S[I.Dst.Reg + 1] = uint32_t(Result >> 32);
  }
  if (X.Facts.WritesScc)
    Plane.S[sreg::Scc] = Result != 0;
}

/// SCC says whether a result is zero: one defined bit that is set decides.
void UndefinedTracker::settleCondition(Wave &W, WaveShadow &S, const Inst &I) {
  if (I.Dst.Kind != Source::Sgpr)
    return;
  uint64_t Width = isPair(I.Dst.Type) ? ~uint64_t(0) : ~0u;
  uint64_t Defined = W.s64(I.Dst.Reg) & ~S.Plane.s64(I.Dst.Reg);
  if (Defined & Width)
    S.Plane.S[sreg::Scc] = 0;
}

void UndefinedTracker::stepBranch(const Step &X) {
  const Wave &Plane = X.S.Plane;
  if (X.I.Flow == ControlFlow::BranchOnScc) {
    if (Plane.S[sreg::Scc])
      report(X, Rule::UndefinedBranch, RegisterFile::Scalar, sreg::Scc, 1);
    return;
  }
  if (X.I.Flow == ControlFlow::BranchOnVcc) {
    uint64_t Undefined = Plane.laneMask(sreg::Vcc);
    // A defined bit that is set decides alone.
    if (Undefined && !(X.W.vcc() & ~Undefined))
      report(X, Rule::UndefinedBranch, RegisterFile::Scalar, sreg::Vcc, 2,
             Undefined);
    return;
  }
  if (X.I.Src[0].Kind == Source::Sgpr && Plane.s64(X.I.Src[0].Reg))
    report(X, Rule::UndefinedBranch, RegisterFile::Scalar, X.I.Src[0].Reg, 2);
  defineResults(X);
}

void UndefinedTracker::stepMessage(const Step &X) {
  constexpr int Interrupt = 1, MessageBits = 0xf;
  if ((X.I.Immediate & MessageBits) == Interrupt && X.S.Plane.S[sreg::M0])
    report(X, Rule::UndefinedMessage, RegisterFile::Scalar, sreg::M0, 1);
  defineResults(X);
}

} // namespace luthier::emulator::strict
