// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions with two operations (VOPD). Both read their sources before
// either writes its result.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"
#include <algorithm>
#include <xmmintrin.h>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Runs \p Part under its own rounding and denormal mode; the loop has set that
/// of the whole instruction.
void runPart(Wave &W, const Inst &Whole, const DualInst::Part &Part) {
  const Inst &I = Part.I;
  if (!I.FloatMode || I.FloatMode == Whole.FloatMode)
    return Part.Fn(W, I);
  _mm_setcsr(W.HostControl[I.FloatMode]);
  Part.Fn(W, I);
  _mm_setcsr(W.HostControl[Whole.FloatMode]);
}

/// Each reads what the other one writes: the first result is put in place
/// after the second part.
void runCrossed(Wave &W, const Inst &I, const DualInst::Part &First,
                const DualInst::Part &Second) {
  alignas(64) U32 Old[NumLanes], New[NumLanes];
  U32 *Row = W.vgpr(First.I.Dst.Reg);
  std::copy_n(Row, NumLanes, Old);
  runPart(W, I, First);
  std::copy_n(Row, NumLanes, New);
  std::copy_n(Old, NumLanes, Row);
  runPart(W, I, Second);
  std::copy_n(New, NumLanes, Row);
}

void dual(Wave &W, const Inst &I) {
  const DualInst &D = *I.Dual;
  const DualInst::Part &First = D.Parts[0], &Second = D.Parts[1];
  if (D.SecondReadsFirst && D.FirstReadsSecond)
    return runCrossed(W, I, First, Second);
  runPart(W, I, D.SecondReadsFirst ? Second : First);
  runPart(W, I, D.SecondReadsFirst ? First : Second);
}

constexpr Operation Rows[] = {{"v_dual", dual}};

} // namespace

std::span<const Operation> dualRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
