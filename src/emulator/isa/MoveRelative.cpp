// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves whose vector register numbers are offset by M0.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// The row of \p O plus \p Offset, or null and a fault.
U32 *relative(Wave &W, const Operand &O, U32 Offset) {
  U32 Reg = O.Reg + Offset;
  if (Reg < (W.Limits & 0xffff))
    return W.vgpr(Reg);
  W.fault(ExecutionFault::Kind::InvalidDispatch,
          "relative VGPR is outside the allocation");
  return nullptr;
}

/// Parts of M0: one offset for all, or one for each side.
U32 wholeM0(Wave &W) { return W.m0(); }
U32 sourceOf(Wave &W) { return W.m0() & 0x3ff; }
U32 destinationOf(Wave &W) { return W.m0() >> 16 & 0x3ff; }
U32 none(Wave &) { return 0; }

template <auto DstOffset, auto SrcOffset> void move(Wave &W, const Inst &I) {
  bool IsRelative = I.Src[0].Kind == Source::Vgpr && SrcOffset != none;
  if (IsRelative && I.IsDpp)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "relative moves with DPP are not emulated");
  const U32 *From =
      IsRelative ? relative(W, I.Src[0], SrcOffset(W)) : source32(W, I, 0);
  U32 *To = relative(W, I.Dst, DstOffset(W));
  if (From && To)
    writeMasked(To, From, writableLanes(W, I));
}

void swap(Wave &W, const Inst &I) {
  U32 *A = relative(W, I.Dst, destinationOf(W));
  U32 *B = relative(W, I.Src[0], sourceOf(W));
  if (!A || !B)
    return;
  for (U64 Mask = W.exec(); Mask; Mask &= Mask - 1) {
    unsigned L = unsigned(std::countr_zero(Mask));
    std::swap(A[L], B[L]);
  }
}

constexpr Operation row(const char *Name, Handler Fn) {
  return {Name, Fn, ValueType::U32, {ValueType::U32}};
}

constexpr Operation Rows[] = {
    row("v_movreld_b32", move<wholeM0, none>),
    row("v_movrels_b32", move<none, wholeM0>),
    row("v_movrelsd_b32", move<wholeM0, wholeM0>),
    row("v_movrelsd_2_b32", move<destinationOf, sourceOf>),
    row("v_swaprel_b32", swap),
};

} // namespace

std::span<const Operation> moveRelativeRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
