// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/Operands.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

constexpr unsigned RowSize = 16, BankSize = 4;

/// The lane that \p L reads under \p Control, or -1 when out of range.
int dppLane(unsigned Control, unsigned L) {
  unsigned Row = L & ~(RowSize - 1), InRow = L % RowSize;
  unsigned Amount = Control & 15;
  if (Control < 0x100) // quad_perm
    return (L & ~3u) | (Control >> (2 * (L & 3)) & 3);
  switch (Control & 0x1f0) {
  case 0x100: // row_shl
    return InRow + Amount < RowSize ? int(L + Amount) : -1;
  case 0x110: // row_shr
    return InRow >= Amount ? int(L - Amount) : -1;
  case 0x120: // row_ror
    return Row | ((InRow - Amount) % RowSize);
  case 0x150: // row_newbcast
    return Row | Amount;
  case 0x160: // row_xmask
    return Row | (InRow ^ Amount);
  }
  switch (Control) {
  case 0x130: // wave_shl:1
    return L + 1 < NumLanes ? int(L + 1) : -1;
  case 0x134: // wave_rol:1
    return (L + 1) % NumLanes;
  case 0x138: // wave_shr:1
    return int(L) - 1;
  case 0x13c: // wave_ror:1
    return (L + NumLanes - 1) % NumLanes;
  case 0x140: // row_mirror
    return Row | (RowSize - 1 - InRow);
  case 0x141: // row_half_mirror
    return (L & ~7u) | (7 - (L & 7));
  case 0x142: // row_bcast:15
    return L >= RowSize ? int(Row - 1) : -1;
  case 0x143: // row_bcast:31
    return L >= 2 * RowSize ? int((L & ~31u) - 1) : -1;
  }
  return -1;
}

/// The same for any DPP instruction.
int sourceLane(const Inst &I, unsigned L) {
  if (I.IsDpp8)
    return int((L & ~7u) | (U32(I.Offset) >> (3 * (L & 7)) & 7));
  return dppLane(I.DppControl, L);
}

/// Fills \p To with what each lane reads through DPP and notes which lanes may
/// be written. A lane whose source is out of range or inactive reads 0 with
/// bound_ctrl, and is left alone without.
void permute(Wave &W, const Inst &I, const U32 *From, U32 *To) {
  uint64_t Exec = W.exec(), Mask = 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    int From0 = sourceLane(I, L);
    bool Valid = From0 >= 0 && (I.FetchInactive || (Exec >> From0 & 1));
    To[L] = Valid ? From[From0] : 0;
    bool Selected = (I.RowMask >> (L / RowSize) & 1) &&
                    (I.BankMask >> (L % RowSize / BankSize) & 1);
    Mask |= uint64_t(Selected && (Valid || I.BoundControl)) << L;
  }
  W.DppMask = Mask;
}

U32 selectPart(U32 Bits, Part P, bool Signed) {
  switch (P) {
  case Part::Byte0:
  case Part::Byte1:
  case Part::Byte2:
  case Part::Byte3: {
    U32 Byte = Bits >> (8 * unsigned(P)) & 0xff;
    return Signed ? U32(int8_t(Byte)) : Byte;
  }
  case Part::Word0:
  case Part::Word1: {
    U32 Word = Bits >> (P == Part::Word1 ? 16 : 0) & 0xffff;
    return Signed ? U32(I16(Word)) : Word;
  }
  case Part::Dword:
    return Bits;
  }
  __builtin_unreachable();
}

void applySigns(U32 *Lanes, const Operand &O) {
  U32 Sign;
  switch (O.Type) {
  case ValueType::F16:
    Sign = 0x8000;
    break;
  case ValueType::F32:
  case ValueType::B32:
  case ValueType::F64: // called with the high halves
    Sign = 0x80000000;
    break;
  default:
    return;
  }
  U32 Keep = O.Modifiers & Absolute ? ~Sign : ~U32(0);
  U32 Flip = O.Modifiers & Negate ? Sign : 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Lanes[L] = (Lanes[L] & Keep) ^ Flip;
}

} // namespace

const U32 *prepareSource(Wave &W, const Inst &I, unsigned N) {
  const Operand &O = I.Src[N];
  U32 *To = W.Thread->Scratch.Source[N][0];
  if (O.Kind != Source::Vgpr)
    broadcast(To, scalar32(W, O));
  else if (I.IsDpp && N == 0)
    permute(W, I, W.vgpr(O.Reg), To);
  else
    std::memcpy(To, W.vgpr(O.Reg), NumLanes * sizeof(U32));
  if (O.Select != Part::Dword) {
    bool Signed = O.Modifiers & SignExtend;
    for (unsigned L = 0; L != NumLanes; ++L)
      To[L] = selectPart(To[L], O.Select, Signed);
  }
  if (O.Modifiers & (Negate | Absolute))
    applySigns(To, O);
  return To;
}

void preparePair(Wave &W, const Inst &I, unsigned N) {
  const Operand &O = I.Src[N];
  U32 *Low = W.Thread->Scratch.Source[N][0];
  U32 *High = W.Thread->Scratch.Source[N][1];
  if (O.Kind != Source::Vgpr) {
    uint64_t Value = scalar64(W, O);
    broadcast(Low, U32(Value));
    broadcast(High, U32(Value >> 32));
  } else if (I.IsDpp && N == 0) {
    permute(W, I, W.vgpr(O.Reg), Low);
    permute(W, I, W.vgpr(O.Reg + 1u), High);
  } else {
    std::memcpy(Low, W.vgpr(O.Reg), NumLanes * sizeof(U32));
    std::memcpy(High, W.vgpr(O.Reg + 1u), NumLanes * sizeof(U32));
  }
  if (O.Modifiers & (Negate | Absolute))
    applySigns(High, O);
}

void selectLanes(ThreadContext &Thread, uint64_t Lanes) {
  for (unsigned Half = 0; Half != NumLanes; Half += 32) {
    U32 Bits = U32(Lanes >> Half);
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != 32; ++L)
      Thread.Selectors[Half + L] = laneSelector(Bits, L);
  }
  Thread.SelectedLanes = Lanes;
}

/// A row under selectors.
static void blendRow(U32 *To, const U32 *From, const U32 *Selectors) {
  LUTHIER_LANE_LOOP
  for (unsigned L = 0; L != NumLanes; ++L)
    To[L] = blend(From[L], To[L], Selectors[L]);
}

void writeMasked(U32 *To, const U32 *From, uint64_t Mask) {
  if (Mask == ~uint64_t(0)) {
    std::memcpy(To, From, NumLanes * sizeof(U32));
    return;
  }
  for (unsigned Half = 0; Half != 2; ++Half, To += 32, From += 32) {
    U32 Bits = U32(Mask >> (32 * Half));
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != 32; ++L) {
      U32 Chosen = laneSelector(Bits, L);
      To[L] = (From[L] & Chosen) | (To[L] & ~Chosen);
    }
  }
}

namespace {

/// Not IEEE arithmetic: there is no negative zero.
template <class F> F scaled(F Value, unsigned OutputModifier) {
  static constexpr F Factors[] = {1, 2, 4, F(0.5)};
  F Result = Value * Factors[OutputModifier];
  return Result == F(0) ? F(0) : Result;
}

template <class F> F clamped(F Value, bool NanToZero) {
  if (Value != Value)
    return NanToZero ? F(0) : Value;
  // A negative zero becomes positive, too. By bits, so that a denormal stays.
  auto Largest = bitsOf(F(1));
  return isNegative(Value) ? F(0) : bitsOf(Value) > Largest ? F(1) : Value;
}

/// Output modifiers count only where MODE flushes denormal results and does
/// not, where it could, ask for IEEE behaviour.
bool scalesResults(const Wave &W, const Inst &I) {
  bool AsksIeee = W.Mode & mode::Ieee & ~W.T->ImpliedMode;
  unsigned Denorm =
      I.Dst.Type == ValueType::F32 ? mode::DenormSingle : mode::DenormDouble;
  return I.OutputModifier && !AsksIeee && !(W.Mode >> Denorm & 2);
}

template <class F> void modifyLanes(Wave &W, const Inst &I) {
  bool NanToZero = W.Mode & mode::Dx10Clamp, Scales = scalesResults(W, I);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  for (unsigned L = 0; L != NumLanes; ++L) {
    F Value;
    if constexpr (sizeof(F) == 8)
      Value = std::bit_cast<F64>(Low[L] | U64(High[L]) << 32);
    else
      Value = fromBits<F>(Low[L]);
    if (Scales && Value == Value) {
      if constexpr (sizeof(F) == 2)
        Value = flushedHalf(toHalf(scaled(F32(Value), I.OutputModifier)), true);
      else
        Value = scaled(Value, I.OutputModifier);
      // Flushing may have left the sign.
      Value = Value == F(0) ? F(0) : Value;
    }
    if (I.Clamp)
      Value = clamped(Value, NanToZero);
    storeLane<F>(Low, High, L, Value);
  }
}

/// Merges a result with what was in the register, as SDWA and op_sel ask.
void mergePart(const Inst &I, const U32 *Old, U32 *New) {
  unsigned Shift, Width;
  switch (I.DstSelect) {
  case Part::Dword:
    return;
  case Part::Word0:
  case Part::Word1:
    Width = 16, Shift = I.DstSelect == Part::Word1 ? 16 : 0;
    break;
  default:
    Width = 8, Shift = 8 * unsigned(I.DstSelect);
  }
  U32 Field = ((U32(1) << Width) - 1) << Shift;
  for (unsigned L = 0; L != NumLanes; ++L) {
    U32 Value = New[L] << Shift & Field;
    if (I.DstUnused == Unused::Preserve)
      Value |= Old[L] & ~Field;
    else if (I.DstUnused == Unused::SignExtend &&
             (Value >> (Shift + Width - 1)))
      Value |= Shift + Width < 32 ? ~U32(0) << (Shift + Width) : 0;
    New[L] = Value;
  }
}

} // namespace

void modifyResults(Wave &W, const Inst &I) {
  if (!I.Clamp && !I.OutputModifier)
    return;
  if (I.Dst.Type == ValueType::F32)
    modifyLanes<F32>(W, I);
  else if (I.Dst.Type == ValueType::F16)
    modifyLanes<F16>(W, I);
  else if (I.Dst.Type == ValueType::F64)
    modifyLanes<F64>(W, I);
}

void writeBack(Wave &W, const Inst &I) {
  U32 *Result = W.Thread->Scratch.Result[0];
  U32 *To = W.vgpr(I.Dst.Reg);
  if (I.SlowResult) {
    modifyResults(W, I);
    mergePart(I, To, Result);
  }
  blendRow(To, Result, selectors(W, writableLanes(W, I)));
}

void writeBackPair(Wave &W, const Inst &I) {
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  if (I.SlowResult)
    modifyResults(W, I);
  const U32 *Selectors = selectors(W, writableLanes(W, I));
  blendRow(W.vgpr(I.Dst.Reg), Low, Selectors);
  blendRow(W.vgpr(I.Dst.Reg) + NumLanes, High, Selectors);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
