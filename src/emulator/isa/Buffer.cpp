// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads and stores (MUBUF). The data operand is the Inst's
// destination, for stores too; sources are address, descriptor and offset.
#include "emulator/isa/Buffer.h"
#include "emulator/isa/Element.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

void BufferAccess::init(Wave &W, const Inst &I) {
  ScalarOffset = scalar32(W, I.Src[2]);
  HasIndex = I.AddressMode & address::IndexEnable;
  bool HasOffset = I.AddressMode & address::OffsetEnable;
  const U32 *First = W.vgpr(I.Src[0].Reg);
  const U32 *Offsets = HasIndex ? First + NumLanes : First;
  for (unsigned L = 0; L != NumLanes; ++L) {
    Index[L] = (HasIndex ? First[L] : 0) + (Buffer.AddThreadId ? L : 0);
    Offset[L] = U32(I.Offset) + (HasOffset ? Offsets[L] : 0);
  }
  // Generation 9 has no field for it: an index makes a buffer of records.
  if (!Buffer.HasCheckField && HasIndex && Buffer.Stride)
    Buffer.Check =
        Buffer.ElementSize ? RangeCheck::Structured : RangeCheck::IndexOnly;
}

bool BufferAccess::inRange(unsigned L, unsigned Extra, unsigned Bytes) const {
  U64 InRecord = U64(Offset[L]) + Extra + Bytes;
  bool IsRecord = Index[L] < Buffer.NumRecords;
  switch (Buffer.Check) {
  case RangeCheck::Structured:
    return IsRecord && InRecord <= Buffer.Stride;
  case RangeCheck::IndexOnly:
    return IsRecord;
  case RangeCheck::NonEmpty:
    return Buffer.NumRecords != 0;
  case RangeCheck::Raw:
    break;
  }
  if (!Buffer.ElementSize)
    return InRecord + U64(Index[L]) * Buffer.Stride + ScalarOffset <=
           Buffer.NumRecords;
  // Scratch interleaves lanes, and its size is in bytes.
  if (!Buffer.Stride)
    return linear(L, Extra) < Buffer.NumRecords;
  return IsRecord && InRecord <= Buffer.Stride;
}

U64 BufferAccess::linear(unsigned L, unsigned Extra) const {
  U64 At = U32(Offset[L] + Extra);
  if (!Buffer.ElementSize)
    return ScalarOffset + U64(Index[L]) * Buffer.Stride + At;
  // IndexStride records interleave their elements.
  const U32 Size = Buffer.ElementSize;
  U64 Group = Index[L] / Buffer.IndexStride;
  U64 InGroup = Index[L] % Buffer.IndexStride;
  return ScalarOffset +
         (Group * Buffer.Stride + At / Size * Size) * Buffer.IndexStride +
         InGroup * Size + At % Size;
}

namespace {

/// Scratch accesses of stack slots: all lanes use the same offset, and their
/// interleaved dwords are as consecutive in memory as in a register. Null when
/// the access is of another kind, or may fail.
uint8_t *interleavedRows(Wave &W, const Inst &I, unsigned Count) {
  BufferDescriptor Buffer(&W.S[I.Src[1].Reg], *W.T);
  if (I.AddressMode != 0 || !Buffer.isScratch() || Buffer.Stride ||
      Buffer.ElementSize != sizeof(U32) || Buffer.IndexStride != NumLanes ||
      Buffer.Check != RangeCheck::Raw || I.Offset % 4)
    return nullptr;
  constexpr unsigned RowBytes = NumLanes * sizeof(U32);
  U64 Offset = U64(scalar32(W, I.Src[2])) + U64(I.Offset) / 4 * RowBytes;
  if (Offset % 4 || Offset + Count * RowBytes > Buffer.NumRecords ||
      !isOwnScratch(W, Buffer.Base + Offset, Count * RowBytes))
    return nullptr;
  return W.Thread->Memory.pointer(Buffer.Base + Offset, Count * RowBytes);
}

/// Host address of a lane's dwords that other threads must see as one. Null
/// where they are not consecutive, or not all of them can be accessed.
template <class E, unsigned Count>
uint8_t *wholePointer(Wave &W, const BufferAccess &A, unsigned L) {
  if constexpr (IsWhole<E, Count>) {
    constexpr unsigned Bytes = E::Bytes * Count, Last = Bytes - E::Bytes;
    const U64 Address = A.address(L, 0);
    if (!A.Buffer.ElementSize && A.inRange(L, 0, Bytes) &&
        A.address(L, Last) == Address + Last)
      return W.Thread->Memory.pointer(Address, Bytes);
  }
  return nullptr;
}

template <class E, unsigned Count> void load(Wave &W, const Inst &I) {
  if (I.IsCoherent)
    finishStores();
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
  const OtherHalf Half(W);
  constexpr uint8_t Zero[E::Bytes] = {};
  forEachLane(W.exec(), [&](unsigned L) {
    if (const uint8_t *P = wholePointer<E, Count>(W, A, L))
      return loadElements<E, Count>(To + L, P, Half);
    // Each dword has a range check of its own.
    for (unsigned N = 0; N != Count; ++N) {
      const uint8_t *P = Zero;
      if (A.inRange(L, N * E::Bytes, E::Bytes))
        P = A.pointer(W, L, N * E::Bytes, E::Bytes);
      if (!P)
        return;
      E::load(To[N * NumLanes + L], P, Half);
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
    if (uint8_t *P = wholePointer<E, Count>(W, A, L))
      return storeElements<E, Count>(P, From + L);
    for (unsigned N = 0; N != Count; ++N) {
      if (!A.inRange(L, N * E::Bytes, E::Bytes))
        continue;
      if (uint8_t *P = A.pointer(W, L, N * E::Bytes, E::Bytes))
        E::store(P, From[N * NumLanes + L]);
    }
  });
}

/// Where a lane's dwords that bypass the registers are in LDS.
U32 ldsOffset(const Wave &W, const Inst &I, unsigned L, unsigned Dwords) {
  return (W.m0() & 0xffff) + U32(I.Offset) + 4 * Dwords * L;
}

template <class E, unsigned Count> void loadToLds(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  forEachLane(W.exec(), [&](unsigned L) {
    for (unsigned N = 0; N != Count; ++N) {
      U32 Value = 0;
      if (A.inRange(L, N * E::Bytes, E::Bytes)) {
        const uint8_t *From = A.pointer(W, L, N * E::Bytes, E::Bytes);
        if (!From)
          return;
        E::load(Value, From, OtherHalf(W));
      }
      uint8_t *To = ldsPointer(W, ldsOffset(W, I, L, Count) + 4 * N, 4);
      if (!To)
        return;
      std::memcpy(To, &Value, 4);
    }
  });
}
void storeFromLds(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  forEachLane(W.exec(), [&](unsigned L) {
    if (!A.inRange(L, 0, 4))
      return;
    uint8_t *To = A.pointer(W, L, 0, 4);
    const uint8_t *From = To ? ldsPointer(W, ldsOffset(W, I, L, 1), 4) : To;
    if (From)
      std::memcpy(To, From, 4);
  });
}

/// There are no caches.
void doNothing(Wave &, const Inst &) {}
void invalidate(Wave &, const Inst &) { finishStores(); }

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
    {"buffer_load_dword lds", loadToLds<Dword, 1>},
    {"buffer_load_dwordx3 lds", loadToLds<Dword, 3>},
    {"buffer_load_dwordx4 lds", loadToLds<Dword, 4>},
    {"buffer_load_ubyte lds", loadToLds<Element<uint8_t>, 1>},
    {"buffer_load_sbyte lds", loadToLds<Element<int8_t>, 1>},
    {"buffer_load_ushort lds", loadToLds<Element<U16>, 1>},
    {"buffer_load_sshort lds", loadToLds<Element<I16>, 1>},
    {"buffer_store_lds_dword", storeFromLds},

    {"buffer_wbl2", doNothing},
    {"buffer_invl2", invalidate},
    {"buffer_inv", invalidate},
    {"buffer_wbinvl1", invalidate},
    {"buffer_wbinvl1_vol", invalidate},
    {"buffer_gl0_inv", invalidate},
    {"buffer_gl1_inv", invalidate},
};

} // namespace

std::span<const Operation> bufferRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
