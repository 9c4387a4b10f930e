// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of the flat and global segments. They return the old value when the
// encoding has a destination.
#include "emulator/isa/Atomic.h"
#include "emulator/isa/Memory.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class T> T laneValue(const U32 *Row, unsigned L) {
  if constexpr (sizeof(T) == 8)
    return Row[L] | U64(Row[L + NumLanes]) << 32;
  else
    return Row[L];
}

/// \p Body maps (pointer, lane) to the old value.
template <class T, class Body>
void forEachTarget(Wave &W, const Inst &I, Body F) {
  LaneAddresses A;
  flatAddresses(W, I, A);
  bool Returns = I.Dst.Kind == Source::Vgpr;
  forEachLane(W.exec(), [&](unsigned L) {
    if (!isAligned(W, A.At[L], sizeof(T)))
      return;
    // Hardware has no atomics on interleaved private memory.
    if (isSplit(I, A.At[L]))
      return W.fault(ExecutionFault::Kind::MemoryViolation,
                     "atomic on private memory", A.At[L]);
    uint8_t *P = flatPointer(W, I, A.At[L], L, sizeof(T));
    if (!P)
      return;
    T Old = F(P, L);
    if (Returns)
      storeLane<T>(W.vgpr(I.Dst.Reg), W.vgpr(I.Dst.Reg) + NumLanes, L, Old);
  });
}

template <class T, auto Update> void atomicOp(Wave &W, const Inst &I) {
  const U32 *Data = W.vgpr(I.Src[1].Reg);
  forEachTarget<T>(W, I, [&](uint8_t *P, unsigned L) {
    T Value = laneValue<T>(Data, L);
    return atomic::apply<T>(P, [&](T Old) { return Update(Old, Value); });
  });
}

/// New value in the first half of the data, expected value in the second.
template <class T> void compareSwap(Wave &W, const Inst &I) {
  const U32 *Data = W.vgpr(I.Src[1].Reg);
  const U32 *Expected = Data + sizeof(T) / 4 * NumLanes;
  forEachTarget<T>(W, I, [&](uint8_t *P, unsigned L) {
    T New = laneValue<T>(Data, L), Compare = laneValue<T>(Expected, L);
    return atomic::apply<T>(P,
                            [&](T Old) { return Old == Compare ? New : Old; });
  });
}

constexpr Operation row(const char *Name, Handler Fn, uint8_t FloatMode = 0) {
  Operation Op{Name, Fn};
  Op.FloatMode = FloatMode;
  return Op;
}

#define ATOMIC(Name, ...)                                                      \
  row("flat_atomic_" Name, __VA_ARGS__), row("global_atomic_" Name, __VA_ARGS__)
#define INTEGER(Name, Update)                                                  \
  ATOMIC(Name, atomicOp<U32, atomic::Update<U32>>),                            \
      ATOMIC(Name "_x2", atomicOp<U64, atomic::Update<U64>>)

constexpr Operation Rows[] = {
    INTEGER("swap", swap),
    INTEGER("add", add),
    INTEGER("sub", sub),
    INTEGER("smin", signedMin),
    INTEGER("umin", unsignedMin),
    INTEGER("smax", signedMax),
    INTEGER("umax", unsignedMax),
    INTEGER("and", bitAnd),
    INTEGER("or", bitOr),
    INTEGER("xor", bitXor),
    INTEGER("inc", increment),
    INTEGER("dec", decrement),
    ATOMIC("cmpswap", compareSwap<U32>),
    ATOMIC("cmpswap_x2", compareSwap<U64>),
    ATOMIC("add_f32", atomicOp<U32, atomic::floatAdd<F32, U32>>, 1),
    ATOMIC("add_f64", atomicOp<U64, atomic::floatAdd<F64, U64>>, 2),
    ATOMIC("min_f64", atomicOp<U64, atomic::floatMin<F64, U64>>, 2),
    ATOMIC("max_f64", atomicOp<U64, atomic::floatMax<F64, U64>>, 2),
    ATOMIC("pk_add_f16", atomicOp<U32, atomic::packedAddF16>, 2),
    ATOMIC("pk_add_bf16", atomicOp<U32, atomic::packedAddBF16>, 1),
};

} // namespace

std::span<const Operation> flatAtomicRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
