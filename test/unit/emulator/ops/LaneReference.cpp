// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaneReference.h"
#include "../Assembler.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace luthier::test {

namespace {

using State = LaneState;

unsigned firstActive(const State &X) {
  for (unsigned L = 0; L != X.WaveSize; ++L)
    if (X.active(L))
      return L;
  return 0;
}

/// v3 = v1 of the lane that \p From names; lanes that are off give 0 or leave
/// v3 alone, unless all count.
template <class F>
void gather(State &X, F From, bool Inactive = false, bool Zero = false) {
  uint32_t Old[State::NumLanes];
  std::memcpy(Old, X.V[1], sizeof(Old));
  for (unsigned L = 0; L != X.WaveSize; ++L) {
    if (!X.active(L))
      continue;
    unsigned Lane = From(L);
    if (Inactive || X.active(Lane))
      X.V[3][L] = Old[Lane];
    else if (Zero)
      X.V[3][L] = 0;
  }
}
template <bool Across, bool Inactive, bool Zero> void permute16(State &X) {
  uint64_t Select = X.S[4] | uint64_t(X.S[5]) << 32;
  gather(
      X,
      [&](unsigned L) {
        unsigned Row = L / 16 ^ (Across ? 1 : 0);
        return Row * 16 + unsigned(Select >> (L % 16 * 4) & 15);
      },
      Inactive, Zero);
}
template <bool Across, bool Inactive, bool Zero>
void permute16Variably(State &X) {
  gather(
      X,
      [&](unsigned L) {
        return (L / 16 ^ (Across ? 1 : 0)) * 16 + X.V[2][L] % 16;
      },
      Inactive, Zero);
}

void move(State &X, unsigned To, unsigned From) {
  for (unsigned L = 0; L != X.WaveSize; ++L)
    if (X.active(L))
      X.V[To][L] = X.V[From][L];
}
void swap(State &X, unsigned A, unsigned B) {
  for (unsigned L = 0; L != X.WaveSize; ++L)
    if (X.active(L))
      std::swap(X.V[A][L], X.V[B][L]);
}
/// Rows at odd multiples of \p Size of v3 with those before them of v1.
template <unsigned Size> void swapRows(State &X) {
  for (unsigned L = 0; L != 64; ++L) {
    if (L / Size % 2)
      continue;
    uint32_t Low = X.V[1][L], High = X.V[3][L + Size];
    if (X.active(L))
      X.V[1][L] = High;
    if (X.active(L + Size))
      X.V[3][L + Size] = Low;
  }
}

uint32_t onesBelow(uint64_t Mask, unsigned Lane) {
  uint32_t Count = 0;
  for (unsigned L = 0; L != Lane; ++L)
    Count += Mask >> L & 1;
  return Count;
}
template <bool High> void countBelow(State &X) {
  for (unsigned L = 0; L != X.WaveSize; ++L)
    if (X.active(L))
      X.V[3][L] =
          X.V[2][L] + onesBelow(uint64_t(X.V[1][L]) << (High ? 32 : 0), L);
}

const LaneRow Rows[] = {
    {"v_readlane_b32", "v_readlane_b32 s9, v1, s4",
     [](State &X) { X.S[9] = X.V[1][X.S[4] % X.WaveSize]; }},
    {"v_readlane_b32", "v_readlane_b32 s9, v1, 19",
     [](State &X) { X.S[9] = X.V[1][19]; }},
    {"v_readlane_b32", "v_readlane_b32 s9, v1, m0",
     [](State &X) { X.S[9] = X.V[1][X.M0 % X.WaveSize]; }},
    {"v_readfirstlane_b32", "v_readfirstlane_b32 s9, v1",
     [](State &X) { X.S[9] = X.V[1][firstActive(X)]; }},
    {"v_writelane_b32", "v_writelane_b32 v3, s5, s4",
     [](State &X) { X.V[3][X.S[4] % X.WaveSize] = X.S[5]; }},
    {"v_writelane_b32", "v_writelane_b32 v3, s5, 31",
     [](State &X) { X.V[3][31] = X.S[5]; }},
    {"v_writelane_b32", "v_writelane_b32 v3, -7, m0",
     [](State &X) { X.V[3][X.M0 % X.WaveSize] = uint32_t(-7); }},
    {"v_mbcnt_lo_u32_b32", "v_mbcnt_lo_u32_b32 v3, v1, v2", countBelow<false>},
    {"v_mbcnt_hi_u32_b32", "v_mbcnt_hi_u32_b32 v3, v1, v2", countBelow<true>},
    {"v_swap_b32", "v_swap_b32 v3, v1", [](State &X) { swap(X, 3, 1); }},
    {"v_swap_b16", "v_swap_b16 v3.h, v1.l",
     [](State &X) {
       for (unsigned L = 0; L != X.WaveSize; ++L) {
         uint32_t A = X.V[3][L], B = X.V[1][L];
         if (!X.active(L))
           continue;
         X.V[3][L] = (A & 0xffff) | B << 16;
         X.V[1][L] = (B & 0xffff0000) | A >> 16;
       }
     }},
    {"v_nop", "v_nop", [](State &) {}},
    {"v_pipeflush", "v_pipeflush", [](State &) {}},
    {"v_clrexcp", "v_clrexcp", [](State &) {}},

    {"v_permlane16_b32", "v_permlane16_b32 v3, v1, s4, s5",
     permute16<false, false, false>},
    {"v_permlane16_b32", "v_permlane16_b32 v3, v1, s4, s5 op_sel:[1,0]",
     permute16<false, true, false>},
    {"v_permlane16_b32", "v_permlane16_b32 v3, v1, s4, s5 op_sel:[0,1]",
     permute16<false, false, true>},
    {"v_permlanex16_b32", "v_permlanex16_b32 v3, v1, s4, s5",
     permute16<true, false, false>},
    {"v_permlanex16_b32", "v_permlanex16_b32 v3, v1, s4, s5 op_sel:[1,1]",
     permute16<true, true, true>},
    {"v_permlane16_var_b32", "v_permlane16_var_b32 v3, v1, v2",
     permute16Variably<false, false, false>},
    {"v_permlane16_var_b32", "v_permlane16_var_b32 v3, v1, v2 op_sel:[1,0]",
     permute16Variably<false, true, false>},
    {"v_permlane16_var_b32", "v_permlane16_var_b32 v3, v1, v2 op_sel:[0,1]",
     permute16Variably<false, false, true>},
    {"v_permlanex16_var_b32", "v_permlanex16_var_b32 v3, v1, v2",
     permute16Variably<true, false, false>},
    {"v_permlanex16_var_b32", "v_permlanex16_var_b32 v3, v1, v2 op_sel:[1,1]",
     permute16Variably<true, true, true>},
    {"v_permlane64_b32", "v_permlane64_b32 v3, v1",
     [](State &X) {
       if (X.WaveSize == 64)
         gather(X, [](unsigned L) { return (L + 32) % 64; }, true);
     }},
    {"v_permlane16_swap_b32", "v_permlane16_swap_b32 v3, v1", swapRows<16>},
    {"v_permlane32_swap_b32", "v_permlane32_swap_b32 v3, v1", swapRows<32>},

    {"v_movreld_b32", "v_movreld_b32 v3, v1",
     [](State &X) { move(X, 3 + X.M0, 1); }},
    {"v_movrels_b32", "v_movrels_b32 v3, v1",
     [](State &X) { move(X, 3, 1 + X.M0); }},
    {"v_movrelsd_b32", "v_movrelsd_b32 v3, v1",
     [](State &X) { move(X, 3 + X.M0, 1 + X.M0); }},
    {"v_movrelsd_2_b32", "v_movrelsd_2_b32 v3, v1",
     [](State &X) { move(X, 3 + (X.M0 >> 16), 1 + X.M0 % 1024); }},
    {"v_swaprel_b32", "v_swaprel_b32 v3, v1",
     [](State &X) { swap(X, 3 + (X.M0 >> 16), 1 + X.M0 % 1024); }},
};

} // namespace

std::span<const LaneRow> laneRows() { return Rows; }

std::vector<std::string> testedLaneOperations(const std::string &Processor) {
  std::vector<std::string> Lines, Names;
  for (const LaneRow &Row : Rows)
    Lines.push_back(Row.Assembly);
  auto Code = assembleEach(Lines, Processor, traitsOf(Processor).WaveSize);
  for (size_t N = 0; N != Lines.size(); ++N)
    if (!Code[N].empty())
      Names.push_back(Rows[N].Name);
  return Names;
}

} // namespace luthier::test
