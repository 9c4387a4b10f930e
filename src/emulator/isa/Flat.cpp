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
  if (W.exec() != ~U64(0) || I.AddressMode != address::Global)
    return nullptr;
  U64 Difference = 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Difference |= A.At[L] - (A.At[0] + U64(L) * Bytes);
  return Difference ? nullptr
                    : W.Thread->Memory.pointer(A.At[0], Bytes * NumLanes);
}

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
    Register = E::load(Bytes);
}

template <class E, unsigned Count> void load(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  LaneAddresses A;
  flatAddresses(W, I, A);
  U32 *To = W.vgpr(I.Dst.Reg);
  if (const uint8_t *From = contiguousElements(W, I, A, E::Bytes * Count)) {
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned N = 0; N != Count; ++N)
        To[N * NumLanes + L] = E::load(From + (L * Count + N) * E::Bytes);
    return;
  }
  if (I.AddressMode == address::Global) {
    forEachLane(Exec, [&](unsigned L) {
      if (uint8_t *P = globalPointer(W, A.At[L], E::Bytes * Count))
        for (unsigned N = 0; N != Count; ++N)
          To[N * NumLanes + L] = E::load(P + N * E::Bytes);
    });
    return;
  }
  forEachLane(Exec, [&](unsigned L) {
    U64 Address = A.At[L];
    if (isSplit(I, Address)) {
      for (unsigned N = 0; N != Count; ++N, Address += E::Bytes) {
        if (Address % E::Bytes == 0) {
          if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes))
            To[N * NumLanes + L] = E::load(P);
        } else {
          copySplit<E>(W, I, Address, L, To[N * NumLanes + L], true);
        }
      }
      return;
    }
    if (uint8_t *P = flatPointer(W, I, Address, L, E::Bytes * Count))
      for (unsigned N = 0; N != Count; ++N)
        To[N * NumLanes + L] = E::load(P + N * E::Bytes);
  });
}

template <class E, unsigned Count> void store(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  LaneAddresses A;
  flatAddresses(W, I, A);
  U32 *From = W.vgpr(I.Src[1].Reg);
  if (uint8_t *To = contiguousElements(W, I, A, E::Bytes * Count)) {
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned N = 0; N != Count; ++N)
        E::store(To + (L * Count + N) * E::Bytes, From[N * NumLanes + L]);
    return;
  }
  if (I.AddressMode == address::Global) {
    forEachLane(Exec, [&](unsigned L) {
      if (uint8_t *P = globalPointer(W, A.At[L], E::Bytes * Count))
        for (unsigned N = 0; N != Count; ++N)
          E::store(P + N * E::Bytes, From[N * NumLanes + L]);
    });
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
      for (unsigned N = 0; N != Count; ++N)
        E::store(P + N * E::Bytes, From[N * NumLanes + L]);
  });
}

// One line per operation, three segments each.
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
};

} // namespace

std::span<const Operation> flatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
