// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar loads, stores, atomics and the clocks (SMEM). Source 0 is the base
// pair or buffer descriptor, source 1 an optional SGPR offset.
#include "emulator/isa/Atomic.h"
#include "emulator/isa/BufferDescriptor.h"
#include "emulator/isa/Clock.h"
#include "emulator/isa/Element.h"
#include "emulator/isa/Memory.h"
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Behind the base, where a register counts as so many bytes.
I64 byteOffset(Wave &W, const Inst &I, I64 PerUnit = 1) {
  I64 Offset = I.Offset;
  if (I.Src[1].Kind != Source::None)
    Offset += scalar32(W, I.Src[1]) * PerUnit;
  return Offset;
}
/// Low bits that do not fit the access are dropped, from each part.
constexpr I64 WholeDwords = ~I64(3);

uint8_t *checked(Wave &W, U64 Address, unsigned Bytes) {
  uint8_t *P = W.Thread->Memory.pointer(Address, Bytes);
  if (!P)
    W.fault(ExecutionFault::Kind::MemoryViolation, "scalar access to unmapped",
            Address);
  return P;
}

/// Where plain instructions go.
struct Direct {
  Direct(Wave &W, const Inst &I) : Base(W.s64(I.Src[0].Reg)) {}
  U64 Base;
  static constexpr I64 PerUnit = 1;
  U64 base() const { return Base & U64(WholeDwords); }
  /// Null where the dwords need a look each.
  uint8_t *whole(Wave &W, I64 Offset, unsigned Bytes) const {
    return W.Thread->Memory.pointer(base() + U64(Offset), Bytes);
  }
  /// Null, without a fault, where the access has no effect.
  uint8_t *pointer(Wave &W, I64 Offset, unsigned Bytes, bool &Skip) const {
    Skip = false;
    I64 Keep = -I64(Bytes < 4 ? Bytes : 4);
    return checked(W, base() + U64(Offset & Keep), Bytes);
  }
};

/// Those of a buffer: what lies outside reads as zero and cannot be written.
struct Buffered {
  Buffered(Wave &W, const Inst &I)
      : Buffer(&W.S[I.Src[0].Reg], *W.T), Size(Buffer.sizeInBytes()) {}
  BufferDescriptor Buffer;
  U64 Size;
  static constexpr I64 PerUnit = 1;
  U64 base() const { return Buffer.Base; }
  uint8_t *whole(Wave &W, I64 Offset, unsigned Bytes) const {
    const U64 At = U64(Offset);
    return At + Bytes > Size || At > Size
               ? nullptr
               : W.Thread->Memory.pointer(Buffer.Base + At, Bytes);
  }
  uint8_t *pointer(Wave &W, I64 Offset, unsigned Bytes, bool &Skip) const {
    I64 Keep = -I64(Bytes < 4 ? Bytes : 4);
    U64 At = U64(Offset & Keep);
    Skip = At + Bytes > Size || At > Size;
    return Skip ? nullptr : checked(W, Buffer.Base + At, Bytes);
  }
};

/// Scratch memory, without the interleaving that vector instructions see. The
/// offset in a register counts blocks of 64 bytes.
struct Private {
  Private(Wave &W, const Inst &I) : Base(W.s64(I.Src[0].Reg)) {}
  static constexpr I64 PerUnit = 64;
  U64 Base;
  /// Nobody else sees it.
  uint8_t *whole(Wave &, I64, unsigned) const { return nullptr; }
  uint8_t *pointer(Wave &W, I64 Offset, unsigned Bytes, bool &Skip) const {
    Skip = false;
    U64 Address = (Base + U64(Offset)) & U64(WholeDwords);
    if (Address - W.ScratchBegin <= W.ScratchLimit - Bytes &&
        Bytes <= W.ScratchLimit)
      return checked(W, Address, Bytes);
    W.fault(ExecutionFault::Kind::MemoryViolation, "outside the wave's scratch",
            Address);
    return nullptr;
  }
};

/// Dword by dword where a buffer may end in between.
template <class Place, unsigned Count> void load(Wave &W, const Inst &I) {
  Place P(W, I);
  I64 Offset = byteOffset(W, I, Place::PerUnit) & WholeDwords;
  U32 Values[Count];
  if constexpr (Count % 2 == 0) {
    if (const uint8_t *From = P.whole(W, Offset, sizeof(Values))) {
      for (unsigned N = 0; N != Count; N += 2)
        Whole<2>::copy(&W.S[I.Dst.Reg + N], From + 4 * N);
      return;
    }
  }
  for (unsigned N = 0; N != Count; ++N) {
    bool Skip;
    const uint8_t *From = P.pointer(W, Offset + 4 * N, 4, Skip);
    if (!From && !Skip)
      return;
    Values[N] = 0;
    if (From)
      std::memcpy(&Values[N], From, 4);
  }
  std::memcpy(&W.S[I.Dst.Reg], Values, sizeof(Values));
}
template <class Place, unsigned Count> void store(Wave &W, const Inst &I) {
  Place P(W, I);
  I64 Offset = byteOffset(W, I, Place::PerUnit) & WholeDwords;
  if constexpr (Count % 2 == 0) {
    if (uint8_t *To = P.whole(W, Offset, 4 * Count)) {
      for (unsigned N = 0; N != Count; N += 2)
        Whole<2>::copy(To + 4 * N, &W.S[I.Dst.Reg + N]);
      return;
    }
  }
  for (unsigned N = 0; N != Count; ++N) {
    bool Skip;
    uint8_t *To = P.pointer(W, Offset + 4 * N, 4, Skip);
    if (!To && !Skip)
      return;
    if (To)
      std::memcpy(To, &W.S[I.Dst.Reg + N], 4);
  }
}

template <class Place, class T> void loadNarrow(Wave &W, const Inst &I) {
  Place P(W, I);
  bool Skip;
  const uint8_t *From = P.pointer(W, byteOffset(W, I), sizeof(T), Skip);
  T Value = 0;
  if (From)
    std::memcpy(&Value, From, sizeof(T));
  if (From || Skip)
    W.S[I.Dst.Reg] = U32(I32(Value));
}

template <class T> T dataAt(const Wave &W, unsigned Reg) {
  return sizeof(T) == 8 ? T(W.s64(Reg)) : T(W.S[Reg]);
}

/// \p F maps a host pointer to the old value. The data registers receive it
/// where the instruction asks for it.
template <class Place, class T, class Body>
void atomicAt(Wave &W, const Inst &I, Body F) {
  Place P(W, I);
  bool Skip;
  // Buffers are checked for whole accesses; these need their natural alignment.
  I64 Offset = byteOffset(W, I, Place::PerUnit) & WholeDwords;
  uint8_t *At = P.pointer(W, Offset, sizeof(T), Skip);
  if (!At && !Skip)
    return;
  if (reinterpret_cast<U64>(At) % sizeof(T))
    return W.fault(ExecutionFault::Kind::Misaligned, "misaligned atomic",
                   P.base() + U64(Offset));
  T Old = At ? F(At) : T(0);
  if (I.Glc)
    std::memcpy(&W.S[I.Dst.Reg], &Old, sizeof(T));
}
template <class Place, class T, auto Update>
void atomicOp(Wave &W, const Inst &I) {
  T Data = dataAt<T>(W, I.Dst.Reg);
  atomicAt<Place, T>(W, I, [&](uint8_t *P) {
    return atomic::apply<T>(P, [&](T Old) { return Update(Old, Data); });
  });
}
/// New value in the first half of the data, expected value in the second.
template <class Place, class T> void compareSwap(Wave &W, const Inst &I) {
  T New = dataAt<T>(W, I.Dst.Reg);
  T Expected = dataAt<T>(W, I.Dst.Reg + sizeof(T) / 4);
  atomicAt<Place, T>(W, I, [&](uint8_t *P) {
    return atomic::apply<T>(P,
                            [&](T Old) { return Old == Expected ? New : Old; });
  });
}

void readClock(Wave &W, const Inst &I) { W.setS64(I.Dst.Reg, shaderClock(W)); }
void readRealTime(Wave &W, const Inst &I) { W.setS64(I.Dst.Reg, realTime(W)); }

/// What only caches could notice.
void doNothing(Wave &, const Inst &) {}
void invalidate(Wave &, const Inst &) { finishStores(); }

constexpr Operation row(const char *Name, Handler Fn) {
  return {Name,
          Fn,
          ValueType::Wide,
          {ValueType::Wide, ValueType::U32, ValueType::None}};
}

#define LOAD(Suffix, Count)                                                    \
  row("s_load_" Suffix, load<Direct, Count>),                                  \
      row("s_buffer_load_" Suffix, load<Buffered, Count>)
#define NARROW(Suffix, T)                                                      \
  row("s_load_" Suffix, loadNarrow<Direct, T>),                                \
      row("s_buffer_load_" Suffix, loadNarrow<Buffered, T>)
#define STORE(Suffix, Count)                                                   \
  row("s_store_" Suffix, store<Direct, Count>),                                \
      row("s_buffer_store_" Suffix, store<Buffered, Count>),                   \
      row("s_scratch_load_" Suffix, load<Private, Count>),                     \
      row("s_scratch_store_" Suffix, store<Private, Count>)
#define ATOMIC(Name, Suffix, T, ...)                                           \
  row("s_atomic_" Name Suffix, __VA_ARGS__<Direct, T>),                        \
      row("s_buffer_atomic_" Name Suffix, __VA_ARGS__<Buffered, T>)
#define INTEGER(Name, Update)                                                  \
  row("s_atomic_" Name, atomicOp<Direct, U32, atomic::Update<U32>>),           \
      row("s_atomic_" Name "_x2", atomicOp<Direct, U64, atomic::Update<U64>>), \
      row("s_buffer_atomic_" Name,                                             \
          atomicOp<Buffered, U32, atomic::Update<U32>>),                       \
      row("s_buffer_atomic_" Name "_x2",                                       \
          atomicOp<Buffered, U64, atomic::Update<U64>>)

constexpr Operation Rows[] = {
    LOAD("dword", 1),
    LOAD("dwordx2", 2),
    LOAD("b96", 3),
    LOAD("dwordx4", 4),
    LOAD("dwordx8", 8),
    LOAD("dwordx16", 16),
    NARROW("u8", uint8_t),
    NARROW("i8", int8_t),
    NARROW("u16", U16),
    NARROW("i16", I16),
    STORE("dword", 1),
    STORE("dwordx2", 2),
    STORE("dwordx4", 4),

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
    ATOMIC("cmpswap", "", U32, compareSwap),
    ATOMIC("cmpswap", "_x2", U64, compareSwap),

    row("s_memtime", readClock),
    row("s_memrealtime", readRealTime),

    {"s_dcache_inv", invalidate},
    {"s_dcache_inv_vol", invalidate},
    {"s_dcache_wb", doNothing},
    {"s_dcache_wb_vol", doNothing},
    {"s_dcache_discard", doNothing},
    {"s_dcache_discard_x2", doNothing},
    {"s_gl1_inv", invalidate},
    {"s_atc_probe", doNothing},
    {"s_atc_probe_buffer", doNothing},
    {"s_prefetch_inst", doNothing},
    {"s_prefetch_inst_pc_rel", doNothing},
    {"s_prefetch_data", doNothing},
    {"s_prefetch_data_pc_rel", doNothing},
    {"s_buffer_prefetch_data", doNothing},
};

} // namespace

std::span<const Operation> scalarMemoryRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
