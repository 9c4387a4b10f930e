// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of the flat, global and scratch segments.
#include "emulator/isa/Element.h"
#include "emulator/isa/Memory.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Host address of the elements if all lanes are active and access consecutive
/// ones, which then need one check only. Null in all other cases.
uint8_t *contiguousElements(Wave &W, const Inst &I, const LaneAddresses &A,
                            unsigned Bytes) {
  if (W.exec() != ~U64(0) || I.AddressMode == address::Scratch)
    return nullptr;
  U64 Difference = 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Difference |= A.At[L] - (A.At[0] + U64(L) * Bytes);
  return Difference ? nullptr
                    : W.Thread->Memory.pointer(A.At[0], Bytes * NumLanes);
}

/// Scratch accesses in which all active lanes use the same offset, as those of
/// stack slots do: the lanes' interleaved dwords are consecutive. Null in all
/// other cases, among them those that may fail.
uint8_t *stackRows(Wave &W, const Inst &I, const LaneAddresses &A,
                   unsigned Count) {
  const U64 Exec = W.exec();
  if (!Exec || I.AddressMode == address::Global || W.WaveSize != NumLanes)
    return nullptr;
  const U64 First = A.At[std::countr_zero(Exec)];
  const U64 Offset = U32(First);
  if (!isSplit(I, First) || Offset % 4 ||
      Offset + Count * 4 > W.ScratchLimit / NumLanes)
    return nullptr;
  const U32 *Active = selectors(W, Exec);
  U64 Difference = 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Difference |= (A.At[L] ^ First) & U64(I64(I32(Active[L])));
  const U64 Address = W.s64(W.T->FlatScratch) + interleaved(W, Offset, 0);
  const unsigned Bytes = Count * NumLanes * sizeof(U32);
  if (Difference || !isOwnScratch(W, Address, Bytes))
    return nullptr;
  return W.Thread->Memory.pointer(Address, Bytes);
}

/// The active lanes' accesses, where one mapped range holds them all.
struct OneRange {
  OneRange(Wave &W, const Inst &I, const LaneAddresses &A, unsigned Bytes) {
    const U64 Exec = W.exec();
    if (!Exec || I.AddressMode == address::Scratch)
      return;
    const U64 First = A.At[std::countr_zero(Exec)];
    const U32 *Active = selectors(W, Exec);
    I64 Low = I64(First), High = Low;
    for (unsigned L = 0; L != NumLanes; ++L) {
      const U64 Mask = U64(I64(I32(Active[L])));
      const auto At = I64((A.At[L] & Mask) | (First & ~Mask));
      Low = At < Low ? At : Low;
      High = At > High ? At : High;
    }
    Lowest = U64(Low);
    Host = W.Thread->Memory.pointer(Lowest, U64(High) - Lowest + Bytes);
  }
  explicit operator bool() const { return Host; }
  uint8_t *at(U64 Address) const { return Host + (Address - Lowest); }

  uint8_t *Host = nullptr;
  U64 Lowest = 0;
};

/// A narrow element may straddle two interleaved dwords when misaligned.
template <class E>
void copySplit(Wave &W, const Inst &I, U64 Address, unsigned Lane,
               U32 &Register, bool IsLoad) {
  uint8_t Bytes[4] = {};
  if (!IsLoad)
    E::store(Bytes, Register);
  for (unsigned B = 0; B != E::Bytes; ++B) {
    uint8_t *P = flatPointer(W, I, Address + B, Lane, 1);
    if (!P)
      return;
    if (IsLoad)
      Bytes[B] = *P;
    else
      *P = Bytes[B];
  }
  if (IsLoad)
    E::load(Register, Bytes, OtherHalf(W));
}

/// As many dwords as the widest host register holds, of consecutive lanes.
using Block = Whole<16>::Dwords;
constexpr unsigned BlockLanes = sizeof(Block) / sizeof(U32);

/// Dwords that alternate in A and then B.
void separate(const Block &A, const Block &B, Block &Even, Block &Odd) {
  const Block First = A, Second = B;
  Even = __builtin_shufflevector(First, Second, 0, 2, 4, 6, 8, 10, 12, 14, 16,
                                 18, 20, 22, 24, 26, 28, 30);
  Odd = __builtin_shufflevector(First, Second, 1, 3, 5, 7, 9, 11, 13, 15, 17,
                                19, 21, 23, 25, 27, 29, 31);
}
/// The reverse.
void alternate(const Block &Even, const Block &Odd, Block &A, Block &B) {
  const Block First = Even, Second = Odd;
  A = __builtin_shufflevector(First, Second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                              5, 21, 6, 22, 7, 23);
  B = __builtin_shufflevector(First, Second, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                              28, 13, 29, 14, 30, 15, 31);
}

/// All lanes' elements, each lane's behind the one's before.
template <class E, unsigned Count>
void loadConsecutive(U32 *To, const uint8_t *From, OtherHalf Half) {
  if constexpr (IsWhole<E, Count>) {
    for (unsigned L = 0; L != NumLanes; L += BlockLanes) {
      Block At[Count];
      for (unsigned N = 0; N != Count; ++N)
        Whole<16>::load(At[N], From + L * Count * E::Bytes + N * sizeof(Block));
      for (unsigned N = 0; N != Count; N += 2)
        separate(At[N], At[N + 1], At[N], At[N + 1]);
      if constexpr (Count == 4) {
        // Dwords 0 and 2 alternate in the even blocks, 1 and 3 in the odd ones.
        separate(At[0], At[2], At[0], At[2]);
        separate(At[1], At[3], At[1], At[3]);
      }
      for (unsigned N = 0; N != Count; ++N)
        std::memcpy(To + N * NumLanes + L, &At[N], sizeof(Block));
    }
  } else {
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned N = 0; N != Count; ++N)
        E::load(To[N * NumLanes + L], From + (L * Count + N) * E::Bytes, Half);
  }
}
template <class E, unsigned Count>
void storeConsecutive(uint8_t *To, const U32 *From) {
  if constexpr (IsWhole<E, Count>) {
    for (unsigned L = 0; L != NumLanes; L += BlockLanes) {
      Block At[Count];
      for (unsigned N = 0; N != Count; ++N)
        std::memcpy(&At[N], From + N * NumLanes + L, sizeof(Block));
      if constexpr (Count == 4) {
        alternate(At[0], At[2], At[0], At[2]);
        alternate(At[1], At[3], At[1], At[3]);
      }
      for (unsigned N = 0; N != Count; N += 2)
        alternate(At[N], At[N + 1], At[N], At[N + 1]);
      for (unsigned N = 0; N != Count; ++N)
        Whole<16>::store(To + L * Count * E::Bytes + N * sizeof(Block), At[N]);
    }
  } else {
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned N = 0; N != Count; ++N)
        E::store(To + (L * Count + N) * E::Bytes, From[N * NumLanes + L]);
  }
}

template <class E, unsigned Count> void load(Wave &W, const Inst &I) {
  if (I.IsCoherent)
    finishStores();
  U64 Exec = W.exec();
  LaneAddresses A;
  flatAddresses(W, I, A);
  U32 *To = W.vgpr(I.Dst.Reg);
  const OtherHalf Half(W);
  if (const uint8_t *From = contiguousElements(W, I, A, E::Bytes * Count)) {
    loadConsecutive<E, Count>(To, From, Half);
    return;
  }
  // Apertures are no mapped memory, so a generic access may be tried too.
  const OneRange Range(W, I, A, E::Bytes * Count);
  if (Range || I.AddressMode == address::Global) {
    forEachLane(Exec, [&](unsigned L) {
      uint8_t *P = Range ? Range.at(A.At[L])
                         : globalPointer(W, A.At[L], E::Bytes * Count);
      if (P)
        loadElements<E, Count>(To + L, P, Half);
    });
    return;
  }
  if constexpr (E::Bytes == 4)
    if (const uint8_t *Rows = stackRows(W, I, A, Count)) {
      for (unsigned N = 0; N != Count; ++N)
        writeMasked(To + N * NumLanes,
                    reinterpret_cast<const U32 *>(Rows) + N * NumLanes, Exec);
      return;
    }
  forEachLane(Exec, [&](unsigned L) {
    U64 Address = A.At[L];
    if (isSplit(I, Address)) {
      for (unsigned N = 0; N != Count; ++N, Address += E::Bytes) {
        if (Address % E::Bytes == 0) {
          if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes))
            E::load(To[N * NumLanes + L], P, Half);
        } else {
          copySplit<E>(W, I, Address, L, To[N * NumLanes + L], true);
        }
      }
      return;
    }
    if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes * Count))
      loadElements<E, Count>(To + L, P, Half);
  });
}

template <class E, unsigned Count> void store(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  LaneAddresses A;
  flatAddresses(W, I, A);
  U32 *From = W.vgpr(I.Src[1].Reg);
  if (uint8_t *To = contiguousElements(W, I, A, E::Bytes * Count)) {
    storeConsecutive<E, Count>(To, From);
    return;
  }
  // Apertures are no mapped memory, so a generic access may be tried too.
  const OneRange Range(W, I, A, E::Bytes * Count);
  if (Range || I.AddressMode == address::Global) {
    forEachLane(Exec, [&](unsigned L) {
      uint8_t *P = Range ? Range.at(A.At[L])
                         : globalPointer(W, A.At[L], E::Bytes * Count);
      if (P)
        storeElements<E, Count>(P, From + L);
    });
    return;
  }
  if constexpr (E::Bytes == 4)
    if (uint8_t *Rows = stackRows(W, I, A, Count)) {
      for (unsigned N = 0; N != Count; ++N)
        writeMasked(reinterpret_cast<U32 *>(Rows) + N * NumLanes,
                    From + N * NumLanes, Exec);
      return;
    }
  forEachLane(Exec, [&](unsigned L) {
    U64 Address = A.At[L];
    if (isSplit(I, Address)) {
      for (unsigned N = 0; N != Count; ++N, Address += E::Bytes) {
        if (Address % E::Bytes == 0) {
          if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes))
            E::store(P, From[N * NumLanes + L]);
        } else {
          copySplit<E>(W, I, Address, L, From[N * NumLanes + L], false);
        }
      }
      return;
    }
    if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes * Count))
      storeElements<E, Count>(P, From + L);
  });
}

/// A lane's registers for which M0 has a bit; the others' memory is left alone.
template <bool IsLoad> void block(Wave &W, const Inst &I) {
  LaneAddresses A;
  flatAddresses(W, I, A);
  U32 *Rows = W.vgpr(IsLoad ? I.Dst.Reg : I.Src[1].Reg);
  forEachLane(W.exec(), [&](unsigned L) {
    forEachLane(W.m0(), [&](unsigned N) {
      uint8_t *P = flatPointer(W, I, A.At[L] + 4 * N, L, 4);
      if (!P)
        return;
      if (IsLoad)
        std::memcpy(&Rows[N * NumLanes + L], P, 4);
      else
        std::memcpy(P, &Rows[N * NumLanes + L], 4);
    });
  });
}

/// A dword per lane at consecutive addresses from the scalar base.
template <bool IsLoad> void accessByLane(Wave &W, const Inst &I) {
  U64 Base = U64(I64(I.Offset));
  if (I.Src[2].Kind == Source::Sgpr)
    Base += W.s64(I.Src[2].Reg);
  U32 *Row = W.vgpr(IsLoad ? I.Dst.Reg : I.Src[1].Reg);
  forEachLane(W.exec(), [&](unsigned L) {
    uint8_t *P = globalPointer(W, Base + 4 * L, 4);
    if (!P)
      return;
    if (IsLoad)
      std::memcpy(&Row[L], P, 4);
    else
      std::memcpy(P, &Row[L], 4);
  });
}

/// Straight to LDS, at M0 plus the lane's place.
template <class E, unsigned Count> void loadToLds(Wave &W, const Inst &I) {
  LaneAddresses A;
  flatAddresses(W, I, A);
  constexpr unsigned Bytes = 4 * Count;
  U32 Base = (W.m0() & 0xffff) + U32(I.Offset);
  forEachLane(W.exec(), [&](unsigned L) {
    for (unsigned N = 0; N != Count; ++N) {
      const uint8_t *From =
          flatPointer(W, I, A.At[L] + N * E::Bytes, L, E::Bytes);
      uint8_t *To = From ? ldsPointer(W, Base + L * Bytes + 4 * N, 4) : nullptr;
      if (!To)
        return;
      U32 Value = 0;
      E::load(Value, From, OtherHalf(W));
      std::memcpy(To, &Value, 4);
    }
  });
}

/// There are no caches.
void doNothing(Wave &, const Inst &) {}
void invalidate(Wave &, const Inst &) { finishStores(); }

// One line per operation, three segments each; to LDS, two in both spellings.
#define LOAD(Name, ...)                                                        \
  {"flat_load_" Name, load<__VA_ARGS__>},                                      \
      {"global_load_" Name, load<__VA_ARGS__>}, {                              \
    "scratch_load_" Name, load<__VA_ARGS__>                                    \
  }
#define STORE(Name, ...)                                                       \
  {"flat_store_" Name, store<__VA_ARGS__>},                                    \
      {"global_store_" Name, store<__VA_ARGS__>}, {                            \
    "scratch_store_" Name, store<__VA_ARGS__>                                  \
  }

#define TO_LDS(Name, ...)                                                      \
  {"global_load_lds_" Name, loadToLds<__VA_ARGS__>},                           \
      {"scratch_load_lds_" Name, loadToLds<__VA_ARGS__>},                      \
      {"global_load_" Name " lds", loadToLds<__VA_ARGS__>}, {                  \
    "scratch_load_" Name " lds", loadToLds<__VA_ARGS__>                        \
  }

using Dword = Element<U32>;

constexpr Operation Rows[] = {
    LOAD("ubyte", Element<uint8_t>, 1),
    LOAD("sbyte", Element<int8_t>, 1),
    LOAD("ushort", Element<U16>, 1),
    LOAD("sshort", Element<I16>, 1),
    LOAD("dword", Dword, 1),
    LOAD("dwordx2", Dword, 2),
    LOAD("dwordx3", Dword, 3),
    LOAD("dwordx4", Dword, 4),
    LOAD("ubyte_d16", Element<uint8_t, Place::Low>, 1),
    LOAD("ubyte_d16_hi", Element<uint8_t, Place::High>, 1),
    LOAD("sbyte_d16", Element<int8_t, Place::Low>, 1),
    LOAD("sbyte_d16_hi", Element<int8_t, Place::High>, 1),
    LOAD("short_d16", Element<U16, Place::Low>, 1),
    LOAD("short_d16_hi", Element<U16, Place::High>, 1),
    STORE("byte", Element<uint8_t>, 1),
    STORE("byte_d16_hi", Element<uint8_t, Place::High>, 1),
    STORE("short", Element<U16>, 1),
    STORE("short_d16_hi", Element<U16, Place::High>, 1),
    STORE("dword", Dword, 1),
    STORE("dwordx2", Dword, 2),
    STORE("dwordx3", Dword, 3),
    STORE("dwordx4", Dword, 4),

    TO_LDS("ubyte", Element<uint8_t>, 1),
    TO_LDS("sbyte", Element<int8_t>, 1),
    TO_LDS("ushort", Element<U16>, 1),
    TO_LDS("sshort", Element<I16>, 1),
    TO_LDS("dword", Dword, 1),
    TO_LDS("dwordx3", Dword, 3),
    TO_LDS("dwordx4", Dword, 4),

    {"global_load_dword_addtid", accessByLane<true>},
    {"global_store_dword_addtid", accessByLane<false>},
    {"global_load_block", block<true>},
    {"global_store_block", block<false>},
    {"scratch_load_block", block<true>},
    {"scratch_store_block", block<false>},

    {"global_inv", invalidate},
    {"global_wb", doNothing},
    {"global_wbinv", invalidate},
};

} // namespace

std::span<const Operation> flatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
