// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of the flat, global and buffer encodings. They return the old value
// where the instruction says so.
#include "emulator/isa/Atomic.h"
#include "emulator/isa/Buffer.h"
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

/// Flat and global: an encoding with a destination returns.
class FlatTarget {
public:
  FlatTarget(Wave &W, const Inst &I)
      : W(W), I(I), Returns(I.Dst.Kind == Source::Vgpr), Result(I.Dst.Reg),
        Data(I.Src[1].Reg) {
    flatAddresses(W, I, A);
  }
  /// Null where nothing is to be done; \p Skipped if that is no fault.
  uint8_t *pointer(unsigned L, unsigned Bytes, bool &Skipped) {
    Skipped = false;
    if (!isAligned(W, A.At[L], Bytes))
      return nullptr;
    // Hardware has no atomics on interleaved private memory.
    if (isSplit(I, A.At[L])) {
      W.fault(ExecutionFault::Kind::MemoryViolation, "atomic on private memory",
              A.At[L]);
      return nullptr;
    }
    return flatPointer(W, I, A.At[L], L, Bytes);
  }

private:
  Wave &W;
  const Inst &I;
  LaneAddresses A;

public:
  bool Returns;
  unsigned Result, Data;
};

/// Buffers: the data register also takes the result; lanes out of range get
/// zero.
class BufferTarget {
public:
  BufferTarget(Wave &W, const Inst &I)
      : W(W), A(W, I), Returns(I.Glc), Result(I.Dst.Reg), Data(I.Dst.Reg) {}
  uint8_t *pointer(unsigned L, unsigned Bytes, bool &Skipped) {
    Skipped = !A.inRange(L, 0, Bytes);
    if (Skipped || !isAligned(W, A.address(L, 0), Bytes))
      return nullptr;
    return A.pointer(W, L, 0, Bytes);
  }

private:
  Wave &W;
  BufferAccess A;

public:
  bool Returns;
  unsigned Result, Data;
};

/// \p F maps (pointer, lane) to the old value.
template <class T, class Target, class Body>
void forEachTarget(Wave &W, Target &A, Body F) {
  U32 *To = W.vgpr(A.Result);
  forEachLane(W.exec(), [&](unsigned L) {
    bool Skipped;
    uint8_t *P = A.pointer(L, sizeof(T), Skipped);
    if (!P && !Skipped)
      return;
    T Old = P ? F(P, L) : T(0);
    if (A.Returns)
      storeLane<T>(To, To + NumLanes, L, Old);
  });
}

template <class Target, class T, auto Update>
void atomicOp(Wave &W, const Inst &I) {
  Target A(W, I);
  const U32 *Data = W.vgpr(A.Data);
  forEachTarget<T>(W, A, [&](uint8_t *P, unsigned L) {
    T Value = laneValue<T>(Data, L);
    return atomic::apply<T>(P, [&](T Old) { return Update(Old, Value); });
  });
}

template <class T> bool sameBits(T A, T B) { return A == B; }
template <class F, class T> bool sameFloat(T A, T B) {
  return std::bit_cast<F>(A) == std::bit_cast<F>(B);
}
/// New value in the first half of the data, expected value in the second.
template <class Target, class T, auto Same>
void compareSwap(Wave &W, const Inst &I) {
  Target A(W, I);
  const U32 *Data = W.vgpr(A.Data);
  const U32 *Expected = Data + sizeof(T) / 4 * NumLanes;
  forEachTarget<T>(W, A, [&](uint8_t *P, unsigned L) {
    T New = laneValue<T>(Data, L), Compare = laneValue<T>(Expected, L);
    return atomic::apply<T>(
        P, [&](T Old) { return Same(Old, Compare) ? New : Old; });
  });
}

constexpr Operation row(const char *Name, Handler Fn, uint8_t FloatMode) {
  Operation Op{Name, Fn};
  Op.FloatMode = FloatMode;
  return Op;
}

#define ATOMIC(Name, Mode, T, Function)                                        \
  row("flat_atomic_" Name, atomicOp<FlatTarget, T, Function>, Mode),           \
      row("global_atomic_" Name, atomicOp<FlatTarget, T, Function>, Mode),     \
      row("buffer_atomic_" Name, atomicOp<BufferTarget, T, Function>, Mode)
#define SWAP(Name, Mode, T, Same)                                              \
  row("flat_atomic_" Name, compareSwap<FlatTarget, T, Same>, Mode),            \
      row("global_atomic_" Name, compareSwap<FlatTarget, T, Same>, Mode),      \
      row("buffer_atomic_" Name, compareSwap<BufferTarget, T, Same>, Mode)
#define INTEGER(Name, Update)                                                  \
  ATOMIC(Name, 0, U32, atomic::Update<U32>),                                   \
      ATOMIC(Name "_x2", 0, U64, atomic::Update<U64>)
#define FLOAT(Name, Update)                                                    \
  ATOMIC(Name "_f32", 1, U32, (atomic::Update<F32, U32>)),                     \
      ATOMIC(Name "_f64", 2, U64, (atomic::Update<F64, U64>))

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
    SWAP("cmpswap", 0, U32, sameBits<U32>),
    SWAP("cmpswap_x2", 0, U64, sameBits<U64>),
    ATOMIC("csub", 0, U32, atomic::clampedSub<U32>),
    ATOMIC("cond_sub_u32", 0, U32, atomic::conditionalSub<U32>),

    FLOAT("add", floatAdd),
    FLOAT("min", floatMin),
    FLOAT("max", floatMax),
    ATOMIC("min_num_f32", 1, U32, (atomic::numberMin<F32, U32>)),
    ATOMIC("max_num_f32", 1, U32, (atomic::numberMax<F32, U32>)),
    SWAP("cmpswap_f32", 1, U32, (sameFloat<F32, U32>)),
    SWAP("cmpswap_f64", 2, U64, (sameFloat<F64, U64>)),
    ATOMIC("pk_add_f16", 2, U32, atomic::packedAddF16),
    ATOMIC("pk_add_bf16", 1, U32, atomic::packedAddBF16),
};

} // namespace

std::span<const Operation> memoryAtomicRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
