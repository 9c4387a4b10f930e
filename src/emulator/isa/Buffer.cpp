// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads, stores and atomics (MUBUF). The data operand is the Inst's
// destination, for stores too; sources are address, descriptor and offset.
#include "emulator/isa/Buffer.h"
#include "emulator/isa/Atomic.h"
#include "emulator/isa/Element.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

void BufferAccess::init(Wave &W, const Inst &I) {
  ScalarOffset = scalar32(W, I.Src[2]);
  bool HasIndex = I.AddressMode & address::IndexEnable;
  bool HasOffset = I.AddressMode & address::OffsetEnable;
  const U32 *First = W.vgpr(I.Src[0].Reg);
  const U32 *Offsets = HasIndex ? First + NumLanes : First;
  for (unsigned L = 0; L != NumLanes; ++L) {
    Index[L] = (HasIndex ? First[L] : 0) + (Buffer.AddThreadId ? L : 0);
    Offset[L] = U32(I.Offset) + (HasOffset ? Offsets[L] : 0);
  }
}

bool BufferAccess::inRange(unsigned L, unsigned Bytes) const {
  if (Buffer.Stride && Buffer.Swizzle)
    return Index[L] < Buffer.NumRecords &&
           U64(Offset[L]) + Bytes <= Buffer.Stride;
  if (Buffer.Swizzle) // scratch: lanes are interleaved, the size is in bytes
    return linear(L) < Buffer.NumRecords;
  U64 Size = Buffer.Stride ? U64(Buffer.NumRecords) * Buffer.Stride
                           : Buffer.NumRecords;
  U64 At = U64(Offset[L]) + U64(Index[L]) * Buffer.Stride;
  return At + Bytes + (Buffer.Stride ? 0 : ScalarOffset) <= Size;
}

U64 BufferAccess::linear(unsigned L) const {
  if (!Buffer.Swizzle)
    return ScalarOffset + U64(Index[L]) * Buffer.Stride + Offset[L];
  // IndexStride records interleave their elements of 4 bytes.
  constexpr U32 ElementSize = 4;
  U64 Group = Index[L] / Buffer.IndexStride;
  U64 InGroup = Index[L] % Buffer.IndexStride;
  return ScalarOffset +
         (Group * Buffer.Stride + Offset[L] / ElementSize * ElementSize) *
             Buffer.IndexStride +
         InGroup * ElementSize + Offset[L] % ElementSize;
}

uint8_t *BufferAccess::pointer(Wave &W, unsigned L, unsigned Extra,
                               unsigned Bytes) {
  Offset[L] += Extra;
  U64 Address = Buffer.Base + linear(L);
  Offset[L] -= Extra;
  return Buffer.isScratch() ? scratchPointer(W, Address, Bytes)
                            : globalPointer(W, Address, Bytes);
}

namespace {

/// Scratch accesses of stack slots: all lanes use the same offset, and their
/// interleaved dwords are as consecutive in memory as in a register. Null when
/// the access is of another kind, or may fail.
uint8_t *interleavedRows(Wave &W, const Inst &I, unsigned Count) {
  BufferDescriptor Buffer(&W.S[I.Src[1].Reg]);
  if (I.AddressMode != 0 || !Buffer.isScratch() || Buffer.Stride ||
      Buffer.IndexStride != NumLanes || I.Offset % 4)
    return nullptr;
  constexpr unsigned RowBytes = NumLanes * sizeof(U32);
  U64 Offset = U64(scalar32(W, I.Src[2])) + U64(I.Offset) / 4 * RowBytes;
  if (Offset % 4 || Offset + Count * RowBytes > Buffer.NumRecords ||
      !isOwnScratch(W, Buffer.Base + Offset, Count * RowBytes))
    return nullptr;
  return W.Thread->Memory.pointer(Buffer.Base + Offset, Count * RowBytes);
}

template <class E, unsigned Count> void load(Wave &W, const Inst &I) {
  U32 *To = W.vgpr(I.Dst.Reg);
  if constexpr (E::Bytes == 4) {
    if (uint8_t *Rows = interleavedRows(W, I, Count)) {
      for (unsigned N = 0; N != Count; ++N)
        writeMasked(To + N * NumLanes,
                    reinterpret_cast<U32 *>(Rows) + N * NumLanes, W.exec());
      return;
    }
  }
  BufferAccess A(W, I);
  forEachLane(W.exec(), [&](unsigned L) {
    bool InRange = A.inRange(L, E::Bytes * Count);
    for (unsigned N = 0; N != Count; ++N) {
      U32 Value = 0;
      if (InRange) {
        uint8_t *P = A.pointer(W, L, N * E::Bytes, E::Bytes);
        if (!P)
          return;
        Value = E::load(P);
      }
      To[N * NumLanes + L] = Value;
    }
  });
}

template <class E, unsigned Count> void store(Wave &W, const Inst &I) {
  const U32 *From = W.vgpr(I.Dst.Reg);
  if constexpr (E::Bytes == 4) {
    if (uint8_t *Rows = interleavedRows(W, I, Count)) {
      for (unsigned N = 0; N != Count; ++N)
        writeMasked(reinterpret_cast<U32 *>(Rows) + N * NumLanes,
                    From + N * NumLanes, W.exec());
      return;
    }
  }
  BufferAccess A(W, I);
  forEachLane(W.exec(), [&](unsigned L) {
    if (!A.inRange(L, E::Bytes * Count))
      return;
    for (unsigned N = 0; N != Count; ++N)
      if (uint8_t *P = A.pointer(W, L, N * E::Bytes, E::Bytes))
        E::store(P, From[N * NumLanes + L]);
  });
}

/// A dword per lane straight to LDS, at M0 plus the lane's place.
template <class E> void loadToLds(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  U32 Base = (W.m0() & 0xffff) + U32(I.Offset);
  forEachLane(W.exec(), [&](unsigned L) {
    U32 Value = 0;
    if (A.inRange(L, E::Bytes)) {
      uint8_t *P = A.pointer(W, L, 0, E::Bytes);
      if (!P)
        return;
      Value = E::load(P);
    }
    if (uint8_t *P = ldsPointer(W, Base + 4 * L, 4))
      std::memcpy(P, &Value, 4);
  });
}

template <class T> T laneValue(const U32 *Row, unsigned L) {
  if constexpr (sizeof(T) == 8)
    return Row[L] | U64(Row[L + NumLanes]) << 32;
  else
    return Row[L];
}

/// \p F maps (pointer, lane) to the old value.
template <class T, class Body>
void forEachTarget(Wave &W, const Inst &I, Body F) {
  BufferAccess A(W, I);
  forEachLane(W.exec(), [&](unsigned L) {
    T Old = 0;
    if (A.inRange(L, sizeof(T))) {
      uint8_t *P = A.pointer(W, L, 0, sizeof(T));
      if (!P || !isAligned(W, reinterpret_cast<U64>(P), sizeof(T)))
        return;
      Old = F(P, L);
    }
    U32 *To = W.vgpr(I.Dst.Reg);
    if (I.Glc)
      storeLane<T>(To, To + NumLanes, L, Old);
  });
}

template <class T, auto Update> void atomicOp(Wave &W, const Inst &I) {
  const U32 *Data = W.vgpr(I.Dst.Reg);
  forEachTarget<T>(W, I, [&](uint8_t *P, unsigned L) {
    T Value = laneValue<T>(Data, L);
    return atomic::apply<T>(P, [&](T Old) { return Update(Old, Value); });
  });
}

template <class T> void compareSwap(Wave &W, const Inst &I) {
  const U32 *Data = W.vgpr(I.Dst.Reg);
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

#define INTEGER(Name, Update)                                                  \
  row("buffer_atomic_" Name, atomicOp<U32, atomic::Update<U32>>),              \
      row("buffer_atomic_" Name "_x2", atomicOp<U64, atomic::Update<U64>>)

using Dword = Element<U32>;

constexpr Operation Rows[] = {
    {"buffer_load_ubyte", load<Element<uint8_t>, 1>},
    {"buffer_load_sbyte", load<Element<int8_t>, 1>},
    {"buffer_load_ushort", load<Element<U16>, 1>},
    {"buffer_load_sshort", load<Element<I16>, 1>},
    {"buffer_load_dword", load<Dword, 1>},
    {"buffer_load_dwordx2", load<Dword, 2>},
    {"buffer_load_dwordx3", load<Dword, 3>},
    {"buffer_load_dwordx4", load<Dword, 4>},
    {"buffer_load_ubyte_d16", load<Element<uint8_t, Place::Low>, 1>},
    {"buffer_load_ubyte_d16_hi", load<Element<uint8_t, Place::High>, 1>},
    {"buffer_load_sbyte_d16", load<Element<int8_t, Place::Low>, 1>},
    {"buffer_load_sbyte_d16_hi", load<Element<int8_t, Place::High>, 1>},
    {"buffer_load_short_d16", load<Element<U16, Place::Low>, 1>},
    {"buffer_load_short_d16_hi", load<Element<U16, Place::High>, 1>},
    {"buffer_store_byte", store<Element<uint8_t>, 1>},
    {"buffer_store_byte_d16_hi", store<Element<uint8_t, Place::High>, 1>},
    {"buffer_store_short", store<Element<U16>, 1>},
    {"buffer_store_short_d16_hi", store<Element<U16, Place::High>, 1>},
    {"buffer_store_dword", store<Dword, 1>},
    {"buffer_store_dwordx2", store<Dword, 2>},
    {"buffer_store_dwordx3", store<Dword, 3>},
    {"buffer_store_dwordx4", store<Dword, 4>},
    {"buffer_load_dword lds", loadToLds<Dword>},
    {"buffer_load_ubyte lds", loadToLds<Element<uint8_t>>},
    {"buffer_load_sbyte lds", loadToLds<Element<int8_t>>},
    {"buffer_load_ushort lds", loadToLds<Element<U16>>},
    {"buffer_load_sshort lds", loadToLds<Element<I16>>},

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
    row("buffer_atomic_cmpswap", compareSwap<U32>),
    row("buffer_atomic_cmpswap_x2", compareSwap<U64>),
    row("buffer_atomic_add_f32", atomicOp<U32, atomic::floatAdd<F32, U32>>, 1),
    row("buffer_atomic_add_f64", atomicOp<U64, atomic::floatAdd<F64, U64>>, 2),
    row("buffer_atomic_min_f64", atomicOp<U64, atomic::floatMin<F64, U64>>, 2),
    row("buffer_atomic_max_f64", atomicOp<U64, atomic::floatMax<F64, U64>>, 2),
    row("buffer_atomic_pk_add_f16", atomicOp<U32, atomic::packedAddF16>, 2),
    row("buffer_atomic_pk_add_bf16", atomicOp<U32, atomic::packedAddBF16>, 1),

    {"buffer_wbl2", [](Wave &, const Inst &) {}},
    {"buffer_invl2", [](Wave &, const Inst &) {}},
    {"buffer_wbinvl1", [](Wave &, const Inst &) {}},
    {"buffer_wbinvl1_vol", [](Wave &, const Inst &) {}},
};

} // namespace

std::span<const Operation> bufferRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
