// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per vector operation: its operands, and what a lane's result must be.
// Evaluators are written from the instruction-set manuals with integers and
// SoftFloat only; nothing of src/emulator is used.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORROW_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORROW_H

#include "SoftFloat.h"
#include <cstdint>

namespace luthier::test {

/// What an operand is, which decides its registers, modifiers and test values.
enum class Kind : uint8_t {
  None,
  U16,
  I16,
  F16,
  Bf16,
  U32,
  I32,
  /// Bits that neg and abs treat as a float.
  B32,
  F32,
  U64,
  I64,
  F64,
  /// A float, or the half that op_sel chooses where op_sel_hi is set.
  Mix,
  /// Two halves that op_sel chooses; the evaluator sees one at a time.
  PkU16,
  PkF16,
  PkBf16,
  /// Two floats in a register pair, likewise.
  PkF32,
  /// A lane mask in scalar registers.
  Mask,
  /// Dwords that the evaluator takes apart.
  Wide3,
  Wide4,
  Wide6,
  Wide8,
  Wide16,
  Wide32,
};

unsigned dwordsOf(Kind K);
/// The format of a float, or of one part of a packed operand; else null.
const Format *formatOf(Kind K);
inline bool isPacked(Kind K) { return K >= Kind::Mix && K <= Kind::PkF32; }
inline bool isHalfWidth(Kind K) { return K >= Kind::U16 && K <= Kind::Bf16; }

/// What an evaluator may look at.
struct LaneCase {
  /// Sources with modifiers applied; of wide ones, the first two dwords.
  uint64_t S[3] = {};
  const uint32_t *Wide[3] = {};
  /// The destination before.
  uint64_t Old = 0;
  bool MaskIn = false;
  bool Clamp = false;
  unsigned Lane = 0;
  /// op_sel bits of operations that give them another meaning.
  unsigned OpSel = 0;
  /// Immediates such as a truth table.
  uint32_t Immediate = 0;
  FloatRules Single;
  /// Also of halves.
  FloatRules Double;
  bool Ieee = true, NanToZero = true;
  /// Overflow to half and eight-bit floats stops at the largest number.
  bool StopsAtLargest = false;
  /// The eight-bit floats of before the standard.
  bool HasOldFp8 = false;
  unsigned Generation = 9;
  /// byte_sel
  unsigned Byte = 0;

  bool MaskOut = false;
  uint32_t WideOut[32] = {};

  uint32_t u32(unsigned N) const { return uint32_t(S[N]); }
  int32_t i32(unsigned N) const { return int32_t(S[N]); }
  uint16_t u16(unsigned N) const { return uint16_t(S[N]); }
  int16_t i16(unsigned N) const { return int16_t(S[N]); }
  int64_t i64(unsigned N) const { return int64_t(S[N]); }
};
using Evaluator = uint64_t (*)(LaneCase &);

enum Trait : uint32_t {
  /// The clamp bit saturates; the evaluator does it.
  Saturates = 1 << 0,
  /// The old destination is a source: v_fmac and its like.
  Accumulates = 1 << 1,
  WritesMask = 1 << 2, ///< A second, scalar destination.
  ReadsMask = 1 << 3,  ///< A last, scalar source.
  /// On GFX9, too, the half that is not written keeps its value.
  KeepsHigh = 1 << 4,
  /// Only this encoding: no SDWA, DPP or second form.
  PlainOnly = 1 << 5,
  /// Neither neg and abs nor output modifiers.
  NoModifiers = 1 << 6,
  /// op_sel is in LaneCase::OpSel and changes no operand.
  OwnOpSel = 1 << 7,
  /// The second source is a literal: v_madmk; the third: v_madak.
  LiteralSecond = 1 << 8,
  LiteralThird = 1 << 9,
  /// The result's NaN need not be that of a source.
  OtherNan = 1 << 10,
  WritesExec = 1 << 11,
  /// Encoded as VOP3P, but not packed.
  Vop3p = 1 << 12,
  /// No short encoding, and neither SDWA nor DPP.
  Vop3Only = 1 << 13,
  /// neg_lo says in LaneCase::OpSel which of two sources is signed.
  SignSelect = 1 << 14,
  /// The evaluator clamps.
  OwnClamp = 1 << 15,
  /// The result is a high half.
  WritesHigh = 1 << 16,
  /// Parts of the result are NaNs of narrow formats; any one is right.
  NarrowNans = 1 << 17,
  /// MODE may ask to stop at the largest number.
  RandomScale = 1 << 18,
  /// byte_sel, where the target has it.
  ByteSelect = 1 << 19,
  /// op_sel has four fields though there are two sources.
  FourSelects = 1 << 20,
  /// The first source is often the same as another.
  SharedSources = 1 << 21,
  /// VCC is a source that is not written down.
  ImpliedVcc = 1 << 22,
  /// From and to scalar registers, whatever EXEC is.
  ScalarResult = 1 << 23,
  /// Later, the name is another's alias.
  UpToGfx10 = 1 << 24,
  /// Only with half registers by name.
  HalfRegisters = 1 << 25,
};

struct VectorRow {
  const char *Name;
  Kind Dst;
  Kind Src[3];
  Evaluator Evaluate;
  uint32_t Traits = 0;
  /// How far a float may be from the rounded value, in units of the last place.
  unsigned Units = 0;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORROW_H
