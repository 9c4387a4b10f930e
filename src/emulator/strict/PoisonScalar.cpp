// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations, branches and messages.
#include "SIDefines.h"
#include "emulator/strict/Poison.h"
#include <algorithm>
#include <utility>

namespace luthier::emulator::strict {

static bool isExec(unsigned Reg) {
  return Reg == sreg::Exec || Reg == sreg::Exec + 1;
}

/// All bits from the lowest set one on.
static uint64_t upward(uint64_t Bits) { return Bits | (0 - Bits); }

PoisonTracker::Scalar PoisonTracker::scalarSource(const Step &X,
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
    Result.Poison &= ~0u;
  }
  return Result;
}

/// The poison of the destination.
uint64_t PoisonTracker::combineScalar(const Step &X, Scalar A, Scalar B) const {
  uint64_t Any = A.Poison | B.Poison;
  const Wave &Plane = X.S.Plane;
  switch (X.Facts.Rule) {
  case PoisonRule::Copy:
    return A.Poison;
  case PoisonRule::AndNot:
    B.Value = ~B.Value;
    [[fallthrough]];
  case PoisonRule::And:
    return (A.Poison & B.Poison) | (A.Poison & B.Value) | (B.Poison & A.Value);
  case PoisonRule::OrNot:
    B.Value = ~B.Value;
    [[fallthrough]];
  case PoisonRule::Or:
    return (A.Poison & B.Poison) | (A.Poison & ~B.Value) |
           (B.Poison & ~A.Value);
  case PoisonRule::Xor:
    return Any;
  case PoisonRule::Upward:
    return upward(Any);
  case PoisonRule::UpwardMask:
    return upward(Any | Plane.S[sreg::Scc]);
  default:
    break;
  }
  if (X.Facts.ReadsScc)
    Any |= Plane.S[sreg::Scc];
  return Any ? ~uint64_t(0) : 0;
}

/// M0 offsets the number of a source or of the destination.
void PoisonTracker::stepRelativeScalar(const Step &X) {
  Wave &Plane = X.S.Plane;
  if (Plane.S[sreg::M0])
    report(X, Rule::PoisonAddress, RegisterFile::Scalar, sreg::M0, 1);
  Inst Copy = X.I;
  if (X.I.Src[0].Kind == Source::Constant)
    Copy.Src[0].Value = 0;
  uint32_t Poison = std::exchange(Plane.S[sreg::M0], X.W.m0());
  X.Fn(Plane, Copy);
  Plane.Event = WaveEvent::None;
  Plane.S[sreg::M0] = Poison;
}

void PoisonTracker::stepScalar(const Step &X) {
  Wave &Plane = X.S.Plane;
  const Inst &I = X.I;
  if (X.Facts.IsRelative)
    return stepRelativeScalar(X);
  // What the facts do not name: VCCZ and EXECZ.
  const bool IsPlain = X.Facts.IsPlain && I.Src[0].Kind != Source::Special &&
                       I.Src[1].Kind != Source::Special;
  if (IsPlain && !poisonedLanes(X))
    return defineResults(X);
  if (isClean(X))
    return;
  Scalar A = scalarSource(X, 0), B = scalarSource(X, 1);
  // Comparisons with an immediate have a source in its place.
  bool HasDst =
      I.Dst.Kind == Source::Sgpr &&
      (isExec(I.Dst.Reg) ? X.Facts.WritesExec
                         : llvm::any_of(X.Facts.ScalarWrites, [&](Span R) {
                             return R.First == I.Dst.Reg;
                           }));
  bool Wide = isPair(I.Dst.Type);
  uint64_t OldPoison = HasDst && !isExec(I.Dst.Reg) ? Plane.s64(I.Dst.Reg) : 0;
  uint64_t Result = 0;
  // As those with an immediate operand do.
  bool DestinationIsRead = X.Facts.Info.Flags & llvm::SIInstrFlags::SOPK;
  if (X.Facts.SavesExec)
    B = {X.W.s64(sreg::Exec), 0};

  uint32_t Condition = Plane.S[sreg::Scc];
  switch (X.Facts.Rule) {
  case PoisonRule::Select: {
    uint64_t Else = X.Facts.KeepsDestination ? OldPoison : B.Poison;
    Result = Condition ? ~uint64_t(0) : X.W.S[sreg::Scc] ? A.Poison : Else;
    break;
  }
  case PoisonRule::Move: {
    Scalar Amount = X.Facts.Control & 2 ? B : Scalar{};
    if (Amount.Poison) {
      Result = ~uint64_t(0);
      break;
    }
    Inst Copy = I;
    uint64_t Poison[2] = {A.Poison, X.Facts.Control & 2 ? B.Value : B.Poison};
    for (unsigned N = 0; N != 2; ++N) {
      if (I.Src[N].Kind == Source::None)
        continue;
      Copy.Src[N].Kind = Source::Constant;
      Copy.Src[N].Value = Poison[N];
    }
    constexpr unsigned Spare = WaveShadow::FirstSpareScalar;
    Copy.Dst.Reg = Spare;
    X.Fn(Plane, Copy);
    Result = Plane.s64(Spare);
    break;
  }
  case PoisonRule::BitSet: {
    unsigned Width = Wide ? 63 : 31;
    Result = A.Poison ? ~uint64_t(0)
                      : OldPoison & ~(uint64_t(1) << (A.Value & Width));
    break;
  }
  case PoisonRule::BitTest:
    Result =
        B.Poison
            ? ~uint64_t(0)
            : A.Poison >> (B.Value & (isPair(I.Src[0].Type) ? 63 : 31)) & 1;
    break;
  case PoisonRule::Equal: {
    // One differing pair of defined bits is enough to know.
    uint64_t Unknown = A.Poison | B.Poison;
    Result = (A.Value ^ B.Value) & ~Unknown ? 0 : Unknown;
    break;
  }
  default:
    if (DestinationIsRead)
      B.Poison |= OldPoison;
    Result = combineScalar(X, A, B);
  }

  defineResults(X);
  if (X.Facts.SavesExec) {
    uint64_t Bits = Result & X.W.LaneMask;
    if (Bits)
      report(X, Rule::PoisonExec, RegisterFile::Scalar, I.Src[0].Reg,
             X.W.WaveSize / 32, Bits);
    return;
  }
  if (!Wide)
    Result &= ~0u;
  if (HasDst && isExec(I.Dst.Reg)) {
    if (uint64_t Bits = Result & X.W.LaneMask)
      report(X, Rule::PoisonExec, RegisterFile::Scalar, sreg::Exec, 1, Bits);
  } else if (HasDst) {
    Plane.S[I.Dst.Reg] = uint32_t(Result);
    if (Wide)
      Plane.S[I.Dst.Reg + 1] = uint32_t(Result >> 32);
  }
  if (X.Facts.WritesScc)
    Plane.S[sreg::Scc] = Result != 0;
}

/// SCC says whether a result is zero: one defined bit that is set decides.
void PoisonTracker::settleCondition(Wave &W, WaveShadow &S, const Inst &I) {
  if (I.Dst.Kind != Source::Sgpr)
    return;
  uint64_t Width = isPair(I.Dst.Type) ? ~uint64_t(0) : ~0u;
  uint64_t Defined = W.s64(I.Dst.Reg) & ~S.Plane.s64(I.Dst.Reg);
  if (Defined & Width)
    S.Plane.S[sreg::Scc] = 0;
}

void PoisonTracker::stepBranch(const Step &X) {
  const Wave &Plane = X.S.Plane;
  if (X.I.Flow == ControlFlow::BranchOnScc) {
    if (Plane.S[sreg::Scc])
      report(X, Rule::PoisonBranch, RegisterFile::Scalar, sreg::Scc, 1);
    return;
  }
  if (X.I.Flow == ControlFlow::BranchOnVcc) {
    uint64_t Poison = Plane.laneMask(sreg::Vcc);
    // A defined bit that is set decides alone.
    if (Poison && !(X.W.vcc() & ~Poison))
      report(X, Rule::PoisonBranch, RegisterFile::Scalar, sreg::Vcc, 2, Poison);
    return;
  }
  if (X.I.Src[0].Kind == Source::Sgpr && Plane.s64(X.I.Src[0].Reg))
    report(X, Rule::PoisonBranch, RegisterFile::Scalar, X.I.Src[0].Reg, 2);
  defineResults(X);
}

void PoisonTracker::stepMessage(const Step &X) {
  constexpr int Interrupt = 1, MessageBits = 0xf;
  if ((X.I.Immediate & MessageBits) == Interrupt && X.S.Plane.S[sreg::M0])
    report(X, Rule::PoisonMessage, RegisterFile::Scalar, sreg::M0, 1);
  defineResults(X);
}

} // namespace luthier::emulator::strict
