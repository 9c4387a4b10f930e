// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector operations.
#include "emulator/isa/LdsDirect.h"
#include "emulator/strict/UndefinedTracker.h"
#include <algorithm>
#include <bit>
#include <utility>

namespace luthier::emulator::strict {

namespace {

bool isExec(unsigned Reg) { return Reg == sreg::Exec || Reg == sreg::Exec + 1; }
unsigned numRegs(const Operand &O) {
  return O.Type == ValueType::Wide ? O.NumRegs : isPair(O.Type) ? 2 : 1;
}
uint64_t pairAt(const uint32_t (&Half)[2][NumLanes], unsigned L) {
  return Half[0][L] | uint64_t(Half[1][L]) << 32;
}
bool isLdsDirect(const Operand &O) {
  return O.Kind == Source::Special && O.Reg == sreg::LdsDirect;
}
uint64_t upward(uint64_t Bits) { return Bits | (0 - Bits); }

uint32_t selected(uint32_t Bits, const Operand &O) {
  bool Signed = O.Modifiers & SignExtend;
  switch (O.Select) {
  case Part::Dword:
    return isNarrow(O.Type) ? Bits & 0xffff : Bits;
  case Part::Word0:
  case Part::Word1: {
    uint32_t Word = Bits >> (O.Select == Part::Word1 ? 16 : 0) & 0xffff;
    return Signed ? uint32_t(int16_t(Word)) : Word;
  }
  default: {
    uint32_t Byte = Bits >> (8 * unsigned(O.Select)) & 0xff;
    return Signed ? uint32_t(int8_t(Byte)) : Byte;
  }
  }
}

/// Spare rows: for DPP, then six for each source.
constexpr unsigned DppRow = WaveShadow::FirstSpare, FirstSourceRow = DppRow + 1;
constexpr unsigned RowsPerSource = 6;

} // namespace

/// Undefined bits of source \p N as the operation sees it.
void UndefinedTracker::fetch(const Step &X, unsigned N, Bits &Result) {
  const Operand &O = X.I.Src[N];
  unsigned Halves = isPair(O.Type) ? 2 : 1;
  std::fill_n(Result.Half[1], NumLanes, 0u);
  for (unsigned H = 0; H != Halves; ++H) {
    uint32_t *To = Result.Half[H];
    if (O.Kind == Source::Sgpr && !isExec(O.Reg)) {
      std::fill_n(To, NumLanes, X.S.Plane.S[O.Reg + H]);
    } else if (O.Kind != Source::Vgpr) {
      std::fill_n(To, NumLanes, isLdsDirect(O) ? X.LdsDirect : 0);
    } else if (X.I.IsDpp && N == 0) {
      // The move's own lanes and masks; what it may write is in DppMask.
      Inst Copy = X.I;
      Copy.Src[0].Reg = uint16_t(O.Reg + H);
      Copy.Src[0].Modifiers = 0;
      Copy.Src[0].Type = Copy.Dst.Type = ValueType::B32;
      Copy.Src[0].Select = Copy.DstSelect = Part::Dword;
      Copy.OutputModifier = 0;
      Copy.Clamp = false;
      Copy.Dst.Kind = Source::Vgpr;
      Copy.Dst.Reg = DppRow;
      Copy.SlowResult = Copy.Src[0].Slow = true;
      Move32(X.S.Plane, Copy);
      std::copy_n(X.S.row(DppRow), NumLanes, To);
    } else {
      std::copy_n(X.S.row(O.Reg + H), NumLanes, To);
    }
  }
  if (O.Select != Part::Dword || isNarrow(O.Type))
    for (unsigned L = 0; L != NumLanes; ++L)
      Result.Half[0][L] = selected(Result.Half[0][L], O);
}

/// The values of source \p N, or \p Unknown for what is permuted.
void UndefinedTracker::fetchValue(const Step &X, unsigned N, uint32_t Unknown,
                                  Bits &Result) {
  const Operand &O = X.I.Src[N];
  uint32_t *To = Result.Half[0];
  if (O.Kind == Source::Sgpr)
    std::fill_n(To, NumLanes, X.W.S[O.Reg]);
  else if (O.Kind == Source::Constant)
    std::fill_n(To, NumLanes, uint32_t(O.Value));
  else if (O.Kind == Source::Vgpr && !(X.I.IsDpp && N == 0))
    std::copy_n(X.W.vgpr(O.Reg), NumLanes, To);
  else
    return std::fill_n(To, NumLanes, Unknown), void();
  if (O.Select != Part::Dword)
    for (unsigned L = 0; L != NumLanes; ++L)
      To[L] = selected(To[L], O);
}

void UndefinedTracker::combine(const Step &X, Bits (&P)[3], Bits &Result) {
  Bits A, B;
  const Inst &I = X.I;
  bool WideResult = isPair(I.Dst.Type);
  auto &Low = Result.Half[0], &High = Result.Half[1];
  std::fill_n(High, NumLanes, 0u);
  auto Any = [&](unsigned L) {
    uint64_t All = 0;
    for (Bits &Source : P)
      All |= pairAt(Source.Half, L);
    return All;
  };
  uint64_t Mask = X.S.Plane.laneMask(I.MaskSrc);
  if (isExec(I.MaskSrc))
    Mask = 0;
  switch (I.Clamp ? UndefinedRule::Default : X.Facts.Rule) {
  case UndefinedRule::Copy:
    Result = P[0];
    return;
  case UndefinedRule::And:
    fetchValue(X, 0, ~0u, A);
    fetchValue(X, 1, ~0u, B);
    for (unsigned L = 0; L != NumLanes; ++L) {
      uint32_t X0 = P[0].Half[0][L], X1 = P[1].Half[0][L];
      Low[L] = (X0 & X1) | (X0 & B.Half[0][L]) | (X1 & A.Half[0][L]);
    }
    return;
  case UndefinedRule::Or:
    fetchValue(X, 0, 0, A);
    fetchValue(X, 1, 0, B);
    for (unsigned L = 0; L != NumLanes; ++L) {
      uint32_t X0 = P[0].Half[0][L], X1 = P[1].Half[0][L];
      Low[L] = (X0 & X1) | (X0 & ~B.Half[0][L]) | (X1 & ~A.Half[0][L]);
    }
    return;
  case UndefinedRule::AndOr:
    fetchValue(X, 0, ~0u, A);
    fetchValue(X, 1, ~0u, B);
    for (unsigned L = 0; L != NumLanes; ++L) {
      uint32_t X0 = P[0].Half[0][L], X1 = P[1].Half[0][L];
      Low[L] = (X0 & X1) | (X0 & B.Half[0][L]) | (X1 & A.Half[0][L]) |
               P[2].Half[0][L];
    }
    return;
  case UndefinedRule::Xor:
    for (unsigned L = 0; L != NumLanes; ++L)
      Low[L] = uint32_t(Any(L));
    return;
  case UndefinedRule::UpwardMask:
  case UndefinedRule::Upward:
    for (unsigned L = 0; L != NumLanes; ++L) {
      uint64_t All = Any(L);
      if (X.Facts.Control == 24)
        All =
            ((P[0].Half[0][L] | P[1].Half[0][L]) & 0xffffff) | P[2].Half[0][L];
      if (X.Facts.Rule == UndefinedRule::UpwardMask)
        All |= Mask >> L & 1;
      All = upward(All);
      Low[L] = uint32_t(All);
      High[L] = WideResult ? uint32_t(All >> 32) : 0;
    }
    return;
  case UndefinedRule::ShiftUp:
    fetchValue(X, 1, 0, B);
    for (unsigned L = 0; L != NumLanes; ++L) {
      unsigned Shift = B.Half[0][L] & (WideResult ? 7 : 31);
      uint64_t All = pairAt(P[0].Half, L) << Shift | pairAt(P[2].Half, L);
      All = P[1].Half[0][L] ? ~uint64_t(0) : upward(All);
      Low[L] = uint32_t(All);
      High[L] = WideResult ? uint32_t(All >> 32) : 0;
    }
    return;
  case UndefinedRule::Select: {
    uint64_t Chosen = X.W.laneMask(I.MaskSrc);
    for (unsigned L = 0; L != NumLanes; ++L)
      Low[L] = Mask >> L & 1 ? ~0u : P[Chosen >> L & 1].Half[0][L];
    return;
  }
  default:
    bool UsesMask = X.Facts.Rule == UndefinedRule::WithMask;
    for (unsigned L = 0; L != NumLanes; ++L) {
      bool Bad = Any(L) || (UsesMask && (Mask >> L & 1));
      Low[L] = Bad ? ~0u : 0;
      High[L] = Bad && WideResult ? ~0u : 0;
    }
  }
}

/// Each half of the result depends on the halves that op_sel chooses.
void UndefinedTracker::combinePacked(const Step &X, Bits (&P)[3],
                                     Bits &Result) {
  bool Single = X.I.Dst.Type == ValueType::Pk32;
  std::fill_n(Result.Half[0], NumLanes, 0u);
  std::fill_n(Result.Half[1], NumLanes, 0u);
  for (unsigned L = 0; L != NumLanes; ++L)
    for (unsigned H = 0; H != 2; ++H) {
      uint32_t Any = 0;
      for (unsigned N = 0; N != 3; ++N) {
        const Operand &O = X.I.Src[N];
        unsigned From = O.Modifiers & (H ? OpSelHi : OpSel) ? 1 : 0;
        if (O.Type == ValueType::Pk32)
          Any |= P[N].Half[From][L];
        else if (O.Type == ValueType::Pk16)
          Any |= P[N].Half[0][L] >> (16 * From) & 0xffff;
        else
          Any |= P[N].Half[0][L] | P[N].Half[1][L];
      }
      if (!Any)
        continue;
      if (Single)
        Result.Half[H][L] = ~0u;
      else
        Result.Half[0][L] |= 0xffffu << (16 * H);
    }
}

/// Puts \p Result where the instruction puts its own.
void UndefinedTracker::writeVector(const Step &X, Bits &Result) {
  const Inst &I = X.I;
  uint64_t Written = X.Exec;
  if (I.IsDpp && I.Src[0].Kind == Source::Vgpr)
    Written &= X.S.Plane.DppMask;
  if (isNarrow(I.Dst.Type))
    for (uint32_t &Low : Result.Half[0])
      Low &= 0xffff;
  if (I.DstSelect != Part::Dword) {
    bool IsWord = I.DstSelect == Part::Word0 || I.DstSelect == Part::Word1;
    unsigned Width = IsWord ? 16 : 8;
    unsigned Shift = IsWord ? (I.DstSelect == Part::Word1 ? 16 : 0)
                            : 8 * unsigned(I.DstSelect);
    uint32_t Field = ((1u << Width) - 1) << Shift;
    const uint32_t *Old = X.S.row(I.Dst.Reg);
    for (unsigned L = 0; L != NumLanes; ++L) {
      uint32_t Bits = Result.Half[0][L] << Shift & Field;
      if (I.DstUnused == Unused::Preserve)
        Bits |= Old[L] & ~Field;
      else if (I.DstUnused == Unused::SignExtend &&
               (Bits >> (Shift + Width - 1)))
        Bits |= Shift + Width < 32 ? ~0u << (Shift + Width) : 0;
      Result.Half[0][L] = Bits;
    }
  }
  X.S.set(I.Dst.Reg, Written, Result.Half[0]);
  if (isPair(I.Dst.Type))
    X.S.set(I.Dst.Reg + 1u, Written, Result.Half[1]);
}

void UndefinedTracker::computeVector(const Step &X) {
  const Inst &I = X.I;
  Bits Result;
  evaluate(X, Result);
  if (X.Facts.IsCompare || X.Facts.WritesMask) {
    uint64_t Lanes = 0;
    for (unsigned L = 0; L != NumLanes; ++L) {
      bool Bad = Result.Half[0][L] || Result.Half[1][L];
      Lanes |= uint64_t(Bad) << L;
    }
    Lanes &= X.Exec;
    if (!isExec(I.ScalarDst))
      X.S.Plane.setLaneMask(I.ScalarDst, Lanes);
    if (X.Facts.WritesExec && Lanes)
      report(X, Rule::UndefinedExec, RegisterFile::Scalar, sreg::Exec, 1,
             Lanes);
  }
  if (!X.Facts.IsCompare && I.Dst.Kind == Source::Vgpr)
    writeVector(X, Result);
}

/// Makes the operands of \p Copy what a handler needs to move undefined bits:
/// the real values for the operands in \p Control, undefined bits for the
/// others. Returns the lanes that have some in a control operand.
uint64_t UndefinedTracker::redirect(const Step &X, Inst &Copy,
                                    unsigned Control) {
  uint64_t Bad = 0;
  for (unsigned N = 0; N != 3; ++N) {
    Operand &O = Copy.Src[N];
    bool IsControl = Control >> N & 1;
    unsigned Count = numRegs(O);
    if (O.Kind == Source::Sgpr) {
      unsigned Spare = WaveShadow::FirstSpareScalar + 16 * N;
      const uint32_t *Undefined = &X.S.Plane.S[O.Reg];
      for (unsigned R = 0; R != Count; ++R) {
        uint32_t Bits = isExec(O.Reg) ? 0 : Undefined[R];
        if (IsControl && Bits)
          Bad = ~uint64_t(0);
        X.S.Plane.S[Spare + R] = IsControl ? X.W.S[O.Reg + R] : Bits;
      }
      O.Reg = uint16_t(Spare);
    } else if (O.Kind == Source::Vgpr && IsControl) {
      unsigned Spare = FirstSourceRow + RowsPerSource * N;
      for (unsigned R = 0; R != Count; ++R) {
        Bad |= X.S.Lanes[O.Reg + R];
        std::copy_n(X.W.vgpr(O.Reg + R), NumLanes, X.S.row(Spare + R));
      }
      O.Reg = uint16_t(Spare);
    } else if (isLdsDirect(O) && IsControl) {
      Bad = X.LdsDirect ? ~uint64_t(0) : Bad;
      O.Kind = Source::Constant;
      O.Value = readLdsDirect(X.W, X.W.m0());
    } else if (!IsControl &&
               (O.Kind == Source::Constant || O.Kind == Source::Special)) {
      O.Value = isLdsDirect(O) ? X.LdsDirect : 0;
      O.Kind = Source::Constant;
      O.Plain = true;
    }
    // Where other lanes are read, op_sel says which of them count.
    const unsigned Kept = X.Facts.Op.has(trait::ReadsInactive)
                              ? SignExtend | OpSel
                              : unsigned(SignExtend);
    if (!IsControl && O.Type != ValueType::Pk16 && O.Type != ValueType::Pk32)
      O.Modifiers &= Kept;
    else if (!IsControl)
      O.Modifiers &= OpSel | OpSelHi;
  }
  return Bad;
}

/// Lets the operation's own handler move undefined bits.
void UndefinedTracker::moveVector(const Step &X) {
  Inst Copy = X.I;
  uint64_t Bad = redirect(X, Copy, X.Facts.Control);
  Copy.OutputModifier = 0;
  Copy.Clamp = false;
  if (X.I.Dst.Kind == Source::Vgpr && X.I.Src[0].Kind != Source::None) {
    // A constant selector of v_perm gives a constant byte.
    X.Fn(X.S.Plane, Copy);
    if (X.Facts.Rule == UndefinedRule::Permute) {
      Bits Selectors;
      fetchValue(X, 2, 0, Selectors);
      uint32_t *Row = X.S.row(X.I.Dst.Reg);
      for (unsigned L = 0; L != NumLanes; ++L)
        for (unsigned B = 0; B != 4; ++B)
          if ((Selectors.Half[0][L] >> (8 * B) & 0xff) >= 12 &&
              (X.Exec >> L & 1))
            Row[L] &= ~(0xffu << (8 * B));
    }
  } else {
    X.Fn(X.S.Plane, Copy);
  }
  X.S.Plane.Event = WaveEvent::None;
  if (X.I.Dst.Kind == Source::Vgpr)
    X.S.refresh(X.I.Dst.Reg);
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      X.S.refresh(R.First + N);
  bool ToScalar = X.I.Dst.Kind == Source::Sgpr;
  // Which lane is read is one decision for all.
  Bad &= ToScalar ? ~uint64_t(0) : X.Exec;
  if (Bad)
    undefineResults(X, Bad);
  if (ToScalar && isExec(X.I.Dst.Reg)) {
    if (X.S.Plane.S[X.I.Dst.Reg])
      report(X, Rule::UndefinedExec, RegisterFile::Scalar, sreg::Exec, 1);
    X.S.Plane.setS64(sreg::Exec, X.W.s64(sreg::Exec));
  }
}

/// Undefined bits of a result, without writing it.
void UndefinedTracker::evaluate(const Step &X, Bits &Result) {
  if (X.Facts.Rule == UndefinedRule::Move) {
    Inst Copy = X.I;
    uint64_t Bad = redirect(X, Copy, X.Facts.Control);
    Copy.Dst.Reg = DppRow;
    X.Fn(X.S.Plane, Copy);
    std::fill_n(Result.Half[1], NumLanes, 0u);
    for (unsigned L = 0; L != NumLanes; ++L)
      Result.Half[0][L] = Bad >> L & 1 ? ~0u : X.S.row(DppRow)[L];
    return;
  }
  Bits P[3];
  for (unsigned N = 0; N != 3; ++N)
    fetch(X, N, P[N]);
  if (X.I.Dst.Type == ValueType::Pk16 || X.I.Dst.Type == ValueType::Pk32)
    combinePacked(X, P, Result);
  else
    combine(X, P, Result);
}

/// Both operations of a VOPD instruction read before either writes.
void UndefinedTracker::stepDual(const Step &X) {
  if (isClean(X))
    return;
  Bits Results[2];
  for (bool Write : {false, true})
    for (unsigned N = 0; N != 2; ++N) {
      const DualInst::Part &Part = X.I.Dual->Parts[N];
      const InstFacts &Facts = InstFacts::of(*X.W.T, Part.I);
      Step Y{X.W, X.S, Part.I, Part.Fn, Facts, X.Exec};
      if (Write)
        writeVector(Y, Results[N]);
      else
        evaluate(Y, Results[N]);
    }
}

/// The handler finds the registers by M0, so the facts do not name them.
void UndefinedTracker::stepRelative(const Step &X) {
  Wave &Plane = X.S.Plane;
  if (Plane.S[sreg::M0])
    report(X, Rule::UndefinedAddress, RegisterFile::Scalar, sreg::M0, 1);
  Inst Copy = X.I;
  redirect(X, Copy, 0);
  uint32_t Undefined = std::exchange(Plane.S[sreg::M0], X.W.m0());
  X.Fn(Plane, Copy);
  Plane.Event = WaveEvent::None;
  Plane.S[sreg::M0] = Undefined;
  for (unsigned Reg = 0; Reg != Plan.NumVgprs; ++Reg)
    X.S.refresh(Reg);
}

void UndefinedTracker::stepVector(const Step &X) {
  if (X.I.Dual)
    return stepDual(X);
  if (X.Facts.IsRelative)
    return stepRelative(X);
  // With shifted operands the facts speak of other registers.
  bool Indexed = (X.W.Mode & mode::GprIndexEnable) && X.I.IsValu;
  if (!Indexed && X.Facts.IsPlain && X.I.DstSelect == Part::Dword) {
    if (!(undefinedLanes(X) & X.Exec))
      return defineResults(X);
  } else if (!Indexed && isClean(X)) {
    return;
  }
  switch (X.Facts.Rule) {
  case UndefinedRule::Move:
  case UndefinedRule::Permute:
    return moveVector(X);
  default:
    break;
  }
  bool Known =
      X.I.Dst.Type != ValueType::None && X.I.Dst.Type != ValueType::Wide;
  if (Known)
    return computeVector(X);
  uint64_t Bad = undefinedLanes(X) & X.Exec;
  defineResults(X);
  if (Bad)
    undefineResults(X, Bad);
}

/// Lanes mix: all results depend on all inputs, whatever EXEC says.
void UndefinedTracker::stepMatrix(const Step &X) {
  if (isClean(X))
    return;
  Step All = X;
  All.Exec = X.W.LaneMask;
  uint64_t Bad = undefinedLanes(All);
  defineResults(All);
  if (Bad)
    undefineResults(All, X.W.LaneMask);
}

} // namespace luthier::emulator::strict
