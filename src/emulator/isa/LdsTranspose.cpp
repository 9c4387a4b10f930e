// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS reads that transpose (generation 9.5): 16 lanes read N elements each, and
// exchange them so that 16 / N matrices of N by N, which take turns in the
// lanes that read, end up transposed one after the other.
#include "emulator/isa/Memory.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <unsigned Bits> U32 element(const U32 *Words, unsigned N) {
  unsigned First = N * Bits, Word = First / 32, Shift = First % 32;
  U64 Pair = Words[Word];
  if (Shift + Bits > 32)
    Pair |= U64(Words[Word + 1]) << 32;
  return U32(Pair >> Shift) & ((U32(1) << Bits) - 1);
}
template <unsigned Bits> void insert(U32 *Words, unsigned N, U32 Value) {
  unsigned First = N * Bits, Word = First / 32, Shift = First % 32;
  U64 Pair = U64(Value) << Shift;
  Words[Word] |= U32(Pair);
  if (Shift + Bits > 32)
    Words[Word + 1] |= U32(Pair >> 32);
}

template <unsigned Bits, unsigned Dwords>
void readTransposed(Wave &W, const Inst &I) {
  constexpr unsigned Group = 16, Count = 32 * Dwords / Bits,
                     Matrices = Group / Count;
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  U32 *To = W.vgpr(I.Dst.Reg);
  U64 Exec = W.exec();
  U32 Read[NumLanes][Dwords] = {};
  forEachLane(Exec, [&](unsigned L) {
    if (const uint8_t *P =
            ldsPointer(W, U32(Address[L] + I.Offset), 4 * Dwords))
      std::memcpy(Read[L], P, 4 * Dwords);
  });
  if (W.Event == WaveEvent::Fault)
    return;
  forEachLane(Exec, [&](unsigned L) {
    unsigned First = L / Group * Group, InGroup = L % Group;
    U32 Words[Dwords] = {};
    for (unsigned N = 0; N != Count; ++N)
      insert<Bits>(Words, N,
                   element<Bits>(Read[First + N * Matrices + InGroup / Count],
                                 InGroup % Count));
    for (unsigned N = 0; N != Dwords; ++N)
      To[N * NumLanes + L] = Words[N];
  });
}

constexpr Operation Rows[] = {
    {"ds_read_b64_tr_b16", readTransposed<16, 2>},
    {"ds_read_b64_tr_b8", readTransposed<8, 2>},
    {"ds_read_b64_tr_b4", readTransposed<4, 2>},
    {"ds_read_b96_tr_b6", readTransposed<6, 3>},
};

} // namespace

std::span<const Operation> ldsTransposeRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
