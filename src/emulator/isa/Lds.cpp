// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The local data share. A workgroup stays on one host thread, so plain reads
// and writes are atomic enough.
#include "emulator/isa/Atomic.h"
#include "emulator/isa/Element.h"
#include "emulator/isa/Memory.h"
#include "emulator/isa/Tables.h"
#include <algorithm>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Where accesses of one lane go. Addresses that no workgroup can have are used
/// by hand-written code to turn lanes off: hardware reads zero there, and drops
/// writes. It does the same for nearer ones outside the workgroup's own, which
/// some of rocFFT's kernels rely on; but they may be mistakes, too.
class LanePlace {
public:
  static bool isOff(const Wave &W, U32 Offset, unsigned Size) {
    return Offset >= MostOfAnyWorkgroup ||
           (W.ForgivesLds && U64(Offset) + Size > W.LdsSize);
  }

  uint8_t *find(Wave &W, U32 Offset, unsigned Size) {
    if (!isOff(W, Offset, Size)) [[likely]]
      return ldsPointer(W, Offset, Size);
    std::memset(Nowhere, 0, sizeof(Nowhere));
    return Nowhere;
  }

private:
  static constexpr U32 MostOfAnyWorkgroup = 160 * 1024;
  uint8_t Nowhere[16];
};

template <class E, unsigned Count> void read(Wave &W, const Inst &I) {
  // The address may be overwritten by the data: read it lane by lane, first.
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  U32 *To = W.vgpr(I.Dst.Reg);
  const OtherHalf Half(W);
  if (allInLds(W, Address, U32(I.Offset), E::Bytes * Count)) {
    const uint8_t *Base = W.Lds + U32(I.Offset);
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L) {
      const uint8_t *From = Base + Address[L];
      for (unsigned N = 0; N != Count; ++N)
        E::load(To[N * NumLanes + L], From + N * E::Bytes, Half);
    }
    return;
  }
  LanePlace Found;
  forEachLane(W.exec(), [&](unsigned L) {
    uint8_t *P = Found.find(W, U32(Address[L] + I.Offset), E::Bytes * Count);
    if (!P)
      return;
    for (unsigned N = 0; N != Count; ++N)
      E::load(To[N * NumLanes + L], P + N * E::Bytes, Half);
  });
}

template <class E, unsigned Count> void write(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg), *From = W.vgpr(I.Src[1].Reg);
  if (allInLds(W, Address, U32(I.Offset), E::Bytes * Count)) {
    uint8_t *Base = W.Lds + U32(I.Offset);
    // In order: of lanes that collide, the highest one wins.
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned N = 0; N != Count; ++N)
        E::store(Base + Address[L] + N * E::Bytes, From[N * NumLanes + L]);
    return;
  }
  LanePlace Found;
  forEachLane(W.exec(), [&](unsigned L) {
    uint8_t *P = Found.find(W, U32(Address[L] + I.Offset), E::Bytes * Count);
    if (!P)
      return;
    for (unsigned N = 0; N != Count; ++N)
      E::store(P + N * E::Bytes, From[N * NumLanes + L]);
  });
}

/// Two elements, at offsets in units of the element or of 64 elements.
template <class T, unsigned Unit, class Body>
void forEachPair(Wave &W, const Inst &I, Body F) {
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  constexpr U32 Scale = Unit * sizeof(T);
  LanePlace Found[2];
  forEachLane(W.exec(), [&](unsigned L) {
    U32 Base = Address[L];
    uint8_t *First = Found[0].find(W, Base + U32(I.Offset) * Scale, sizeof(T));
    uint8_t *Second =
        Found[1].find(W, Base + U32(I.Immediate) * Scale, sizeof(T));
    if (First && Second)
      F(First, Second, L);
  });
}

template <class T> void toRegister(U32 *Row, unsigned L, const uint8_t *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  storeLane<T>(Row, Row + NumLanes, L, Value);
}
template <class T> T fromRegister(const U32 *Row, unsigned L) {
  if constexpr (sizeof(T) == 8)
    return Row[L] | U64(Row[L + NumLanes]) << 32;
  else
    return Row[L];
}
template <class T> constexpr unsigned RowsOf = sizeof(T) / 4 * NumLanes;

template <class T, unsigned Unit> void readTwo(Wave &W, const Inst &I) {
  U32 *To = W.vgpr(I.Dst.Reg);
  constexpr U32 Scale = Unit * sizeof(T);
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  U32 First = U32(I.Offset) * Scale, Second = U32(I.Immediate) * Scale;
  if (allInLds(W, Address, std::max(First, Second), sizeof(T))) {
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L) {
      const uint8_t *Base = W.Lds + Address[L];
      toRegister<T>(To, L, Base + First);
      toRegister<T>(To + RowsOf<T>, L, Base + Second);
    }
    return;
  }
  forEachPair<T, Unit>(W, I, [&](uint8_t *A, uint8_t *B, unsigned L) {
    toRegister<T>(To, L, A);
    toRegister<T>(To + RowsOf<T>, L, B);
  });
}
template <class T, unsigned Unit> void writeTwo(Wave &W, const Inst &I) {
  const U32 *D0 = W.vgpr(I.Src[1].Reg), *D1 = W.vgpr(I.Src[2].Reg);
  forEachPair<T, Unit>(W, I, [&](uint8_t *A, uint8_t *B, unsigned L) {
    T First = fromRegister<T>(D0, L), Second = fromRegister<T>(D1, L);
    std::memcpy(A, &First, sizeof(T));
    std::memcpy(B, &Second, sizeof(T));
  });
}
template <class T, unsigned Unit> void exchangeTwo(Wave &W, const Inst &I) {
  const U32 *D0 = W.vgpr(I.Src[1].Reg), *D1 = W.vgpr(I.Src[2].Reg);
  U32 *To = W.vgpr(I.Dst.Reg);
  forEachPair<T, Unit>(W, I, [&](uint8_t *A, uint8_t *B, unsigned L) {
    T First = fromRegister<T>(D0, L), Second = fromRegister<T>(D1, L);
    T OldA, OldB;
    std::memcpy(&OldA, A, sizeof(T));
    std::memcpy(&OldB, B, sizeof(T));
    std::memcpy(A, &First, sizeof(T));
    std::memcpy(B, &Second, sizeof(T));
    storeLane<T>(To, To + NumLanes, L, OldA);
    storeLane<T>(To + RowsOf<T>, To + RowsOf<T> + NumLanes, L, OldB);
  });
}

/// \p Update maps (old, data0, data1) to the new value.
template <class T, auto Update> void atomicOp(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg), *D0 = W.vgpr(I.Src[1].Reg);
  const U32 *D1 = I.Src[2].Kind == Source::Vgpr ? W.vgpr(I.Src[2].Reg) : D0;
  bool Returns = I.Dst.Kind == Source::Vgpr;
  U32 *To = W.vgpr(I.Dst.Reg);
  LanePlace Found;
  forEachLane(W.exec(), [&](unsigned L) {
    U32 At = Address[L] + U32(I.Offset);
    if (!LanePlace::isOff(W, At, sizeof(T)) && !isAligned(W, At, sizeof(T)))
      return;
    uint8_t *P = Found.find(W, At, sizeof(T));
    if (!P)
      return;
    T Old;
    std::memcpy(&Old, P, sizeof(T));
    T New = Update(Old, fromRegister<T>(D0, L), fromRegister<T>(D1, L));
    std::memcpy(P, &New, sizeof(T));
    if (Returns)
      storeLane<T>(To, To + NumLanes, L, Old);
  });
}

template <auto Update, class T> T oneSource(T Old, T Data, T) {
  return Update(Old, Data);
}
template <class T> T compareSwap(T Old, T Compare, T New) {
  return Old == Compare ? New : Old;
}
template <class F, class T> T floatCompareSwap(T Old, T Compare, T New) {
  return std::bit_cast<F>(Old) == std::bit_cast<F>(Compare) ? New : Old;
}
template <class T> T maskedOr(T Old, T Clear, T Set) {
  return (Old & ~Clear) | Set;
}
/// Generations 11 and later swap the data operands.
template <class T> T compareStore(T Old, T New, T Compare) {
  return compareSwap(Old, Compare, New);
}
template <class F, class T> T floatCompareStore(T Old, T New, T Compare) {
  return floatCompareSwap<F>(Old, Compare, New);
}
U32 wrap(U32 Old, U32 Subtract, U32 Add) {
  return Old >= Subtract ? Old - Subtract : Old + Add;
}

/// Exchanges each dword whose data has its top bit set.
U64 conditionalExchange(U64 Old, U64 Data, U64) {
  for (unsigned Shift : {0, 32})
    if (Data >> (Shift + 31) & 1) {
      U64 Field = U64(0xffffffff) << Shift;
      Old = (Old & ~Field) | (Data & (U64(0x7fffffff) << Shift));
    }
  return Old;
}

/// Both operands of "src2" forms are in LDS: the second lies a number of dwords
/// behind the first, which the offset holds or, if its top bit says so, the
/// upper part of the address.
template <class T, auto Update> void combineTwo(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  bool InAddress = I.Offset >> 15 & 1;
  I32 Fixed = I32(U32(I.Offset) << 17) >> 17;
  forEachLane(W.exec(), [&](unsigned L) {
    U32 First = InAddress ? Address[L] & 0x1ffff : Address[L];
    I32 Distance = InAddress ? I32(Address[L]) >> 17 : Fixed;
    U32 Second = First + U32(4 * Distance);
    if (!isAligned(W, First, 4))
      return;
    uint8_t *A = ldsPointer(W, First, sizeof(T));
    const uint8_t *B = A ? ldsPointer(W, Second, sizeof(T)) : nullptr;
    if (!B)
      return;
    T Old, Data;
    std::memcpy(&Old, A, sizeof(T));
    std::memcpy(&Data, B, sizeof(T));
    T New = Update(Old, Data);
    std::memcpy(A, &New, sizeof(T));
  });
}

// Addressed by lane number and M0.
template <bool IsRead> void accessByLane(Wave &W, const Inst &I) {
  U32 *Row = W.vgpr(IsRead ? I.Dst.Reg : I.Src[1].Reg);
  U32 Base = U32(I.Offset) + (W.m0() & 0xffff);
  forEachLane(W.exec(), [&](unsigned L) {
    uint8_t *P = ldsPointer(W, Base + 4 * L, 4);
    if (!P)
      return;
    if (IsRead)
      std::memcpy(&Row[L], P, 4);
    else
      std::memcpy(P, &Row[L], 4);
  });
}

/// Adds the number of active lanes to a counter that M0 addresses, or takes it
/// away; all lanes get the old value.
template <bool Append> void countLanes(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  uint8_t *P = ldsPointer(W, (W.m0() & 0xffff) + U32(I.Offset), 4);
  if (!P || !Exec)
    return;
  U32 Old, Lanes = U32(std::popcount(Exec));
  std::memcpy(&Old, P, 4);
  U32 New = Append ? Old + Lanes : Old - Lanes;
  std::memcpy(P, &New, 4);
  writeMasked(W.vgpr(I.Dst.Reg), broadcast(W.Thread->Scratch.Result[0], Old),
              Exec);
}

/// One value for all lanes of the quads that have an active one.
void loadDirect(Wave &W, const Inst &I) {
  const U64 Lanes = wholeQuads(W.exec());
  if (!Lanes)
    return;
  const U32 Value = readLdsDirect(W, W.m0());
  if (W.Event != WaveEvent::Fault)
    writeMasked(W.vgpr(I.Dst.Reg),
                broadcast(W.Thread->Scratch.Result[0], Value), Lanes);
}

constexpr Operation floatRow(const char *Name, Handler Fn, uint8_t Mode) {
  Operation Op{Name, Fn};
  Op.FloatMode = Mode;
  return Op;
}

#define ATOMIC(Stem, Suffix, ...)                                              \
  {"ds_" Stem "_" Suffix, __VA_ARGS__}, {                                      \
    "ds_" Stem "_rtn_" Suffix, __VA_ARGS__                                     \
  }
#define ONE(Stem, Suffix, T, Update)                                           \
  ATOMIC(Stem, Suffix, atomicOp<T, oneSource<atomic::Update<T>, T>>)
#define SRC2(Stem, Suffix, T, Update)                                          \
  {"ds_" Stem "_src2_" Suffix, combineTwo<T, atomic::Update<T>>}
#define BOTH(Stem, Letter, Update)                                             \
  ONE(Stem, Letter "32", U32, Update), ONE(Stem, Letter "64", U64, Update),    \
      SRC2(Stem, Letter "32", U32, Update),                                    \
      SRC2(Stem, Letter "64", U64, Update)
#define FLOAT(Stem, Suffix, Mode, T, ...)                                      \
  floatRow("ds_" Stem "_" Suffix, atomicOp<T, __VA_ARGS__>, Mode),             \
      floatRow("ds_" Stem "_rtn_" Suffix, atomicOp<T, __VA_ARGS__>, Mode)
#define FLOAT_SRC2(Stem, Suffix, Mode, F, T, Update)                           \
  floatRow("ds_" Stem "_src2_" Suffix, combineTwo<T, atomic::Update<F, T>>,    \
           Mode)
#define FLOATS(Stem, Update)                                                   \
  FLOAT(Stem, "f32", 1, U32, oneSource<atomic::Update<F32, U32>, U32>),        \
      FLOAT(Stem, "f64", 2, U64, oneSource<atomic::Update<F64, U64>, U64>)

using Dword = Element<U32>;

constexpr Operation Rows[] = {
    {"ds_read_u8", read<Element<uint8_t>, 1>},
    {"ds_read_i8", read<Element<int8_t>, 1>},
    {"ds_read_u16", read<Element<U16>, 1>},
    {"ds_read_i16", read<Element<I16>, 1>},
    {"ds_read_u8_d16", read<Element<uint8_t, Place::Low>, 1>},
    {"ds_read_u8_d16_hi", read<Element<uint8_t, Place::High>, 1>},
    {"ds_read_i8_d16", read<Element<int8_t, Place::Low>, 1>},
    {"ds_read_i8_d16_hi", read<Element<int8_t, Place::High>, 1>},
    {"ds_read_u16_d16", read<Element<U16, Place::Low>, 1>},
    {"ds_read_u16_d16_hi", read<Element<U16, Place::High>, 1>},
    {"ds_read_b32", read<Dword, 1>},
    {"ds_read_b64", read<Dword, 2>},
    {"ds_read_b96", read<Dword, 3>},
    {"ds_read_b128", read<Dword, 4>},
    {"ds_read2_b32", readTwo<U32, 1>},
    {"ds_read2st64_b32", readTwo<U32, 64>},
    {"ds_read2_b64", readTwo<U64, 1>},
    {"ds_read2st64_b64", readTwo<U64, 64>},
    {"ds_read_addtid_b32", accessByLane<true>},
    {"ds_write_b8", write<Element<uint8_t>, 1>},
    {"ds_write_b8_d16_hi", write<Element<uint8_t, Place::High>, 1>},
    {"ds_write_b16", write<Element<U16>, 1>},
    {"ds_write_b16_d16_hi", write<Element<U16, Place::High>, 1>},
    {"ds_write_b32", write<Dword, 1>},
    {"ds_write_b64", write<Dword, 2>},
    {"ds_write_b96", write<Dword, 3>},
    {"ds_write_b128", write<Dword, 4>},
    {"ds_write2_b32", writeTwo<U32, 1>},
    {"ds_write2st64_b32", writeTwo<U32, 64>},
    {"ds_write2_b64", writeTwo<U64, 1>},
    {"ds_write2st64_b64", writeTwo<U64, 64>},
    {"ds_write_addtid_b32", accessByLane<false>},

    BOTH("add", "u", add),
    BOTH("sub", "u", sub),
    BOTH("rsub", "u", reverseSub),
    BOTH("inc", "u", increment),
    BOTH("dec", "u", decrement),
    BOTH("min", "i", signedMin),
    BOTH("max", "i", signedMax),
    BOTH("min", "u", unsignedMin),
    BOTH("max", "u", unsignedMax),
    BOTH("and", "b", bitAnd),
    BOTH("or", "b", bitOr),
    BOTH("xor", "b", bitXor),
    ATOMIC("mskor", "b32", atomicOp<U32, maskedOr<U32>>),
    ATOMIC("mskor", "b64", atomicOp<U64, maskedOr<U64>>),
    ATOMIC("cmpst", "b32", atomicOp<U32, compareSwap<U32>>),
    ATOMIC("cmpst", "b64", atomicOp<U64, compareSwap<U64>>),
    FLOAT("cmpst", "f32", 1, U32, floatCompareSwap<F32, U32>),
    FLOAT("cmpst", "f64", 2, U64, floatCompareSwap<F64, U64>),
    FLOATS("add", floatAdd),
    FLOATS("min", floatMin),
    FLOATS("max", floatMax),
    FLOAT("pk_add", "f16", 2, U32, oneSource<atomic::packedAddF16, U32>),
    FLOAT("pk_add", "bf16", 1, U32, oneSource<atomic::packedAddBF16, U32>),
    FLOAT("cmpstore", "f32", 1, U32, floatCompareStore<F32, U32>),
    FLOAT("cmpstore", "f64", 2, U64, floatCompareStore<F64, U64>),
    ATOMIC("cmpstore", "b32", atomicOp<U32, compareStore<U32>>),
    ATOMIC("cmpstore", "b64", atomicOp<U64, compareStore<U64>>),
    FLOATS("min_num", numberMin),
    FLOATS("max_num", numberMax),
    ONE("cond_sub", "u32", U32, conditionalSub),
    ONE("sub_clamp", "u32", U32, clampedSub),
    SRC2("write", "b32", U32, swap),
    SRC2("write", "b64", U64, swap),
    FLOAT_SRC2("add", "f32", 1, F32, U32, floatAdd),
    FLOAT_SRC2("min", "f32", 1, F32, U32, floatMin),
    FLOAT_SRC2("max", "f32", 1, F32, U32, floatMax),
    FLOAT_SRC2("min", "f64", 2, F64, U64, floatMin),
    FLOAT_SRC2("max", "f64", 2, F64, U64, floatMax),
    {"ds_wrxchg_rtn_b32", atomicOp<U32, oneSource<atomic::swap<U32>, U32>>},
    {"ds_wrxchg_rtn_b64", atomicOp<U64, oneSource<atomic::swap<U64>, U64>>},
    {"ds_wrxchg2_rtn_b32", exchangeTwo<U32, 1>},
    {"ds_wrxchg2st64_rtn_b32", exchangeTwo<U32, 64>},
    {"ds_wrxchg2_rtn_b64", exchangeTwo<U64, 1>},
    {"ds_wrxchg2st64_rtn_b64", exchangeTwo<U64, 64>},
    {"ds_wrap_rtn_b32", atomicOp<U32, wrap>},
    {"ds_condxchg32_rtn_b64", atomicOp<U64, conditionalExchange>},
    {"lds_direct_load", loadDirect},
    {"ds_append", countLanes<true>},
    {"ds_consume", countLanes<false>},
    {"ds_nop", [](Wave &, const Inst &) {}},
};

} // namespace

std::span<const Operation> ldsRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
