// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a few vector instructions over chosen inputs and returns each lane's
// result.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_LANETEST_H
#define LUTHIER_TEST_UNIT_EMULATOR_LANETEST_H

#include "Machine.h"
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace luthier::test {

/// What a lane sees in v[2:3], v[4:5] and v[6:7].
struct LaneInput {
  uint64_t A = 0, B = 0, C = 0;
};
/// What it leaves in v[8:9], and its bits of VCC.
struct LaneResult {
  uint64_t D = 0;
  uint32_t low() const { return uint32_t(D); }
  uint16_t half() const { return uint16_t(D); }
  float f32() const { return std::bit_cast<float>(uint32_t(D)); }
  double f64() const { return std::bit_cast<double>(D); }
};

class LaneTest : public Machine {
protected:
  using Inputs = std::array<LaneInput, 64>;
  using Results = std::array<LaneResult, 64>;

  /// v[8:9] starts as the argument \p Old.
  Results evaluate(const std::string &Instructions, const Inputs &In,
                   uint64_t Old = 0xdeadbeefcafef00d) {
    struct Layout {
      LaneInput In[64];
      uint64_t Old[64];
      LaneResult Out[64];
      uint64_t Vcc, Exec;
    };
    auto *L = Data.as<Layout>();
    std::copy(In.begin(), In.end(), L->In);
    std::fill(L->Old, L->Old + 64, Old);
    load(R"(
      v_mov_b32 v63, v0
      v_mul_u32_u24 v1, 24, v0
      v_lshlrev_b32 v10, 3, v0
      global_load_dwordx4 v[2:5], v1, s[0:1]
      global_load_dwordx2 v[6:7], v1, s[0:1] offset:16
      global_load_dwordx2 v[8:9], v10, s[0:1] offset:1536
      s_waitcnt vmcnt(0)
    )" + Instructions +
         R"(
      s_mov_b64 s[90:91], exec
      s_mov_b64 exec, -1
      v_lshlrev_b32 v10, 3, v63
      global_store_dwordx2 v10, v[8:9], s[0:1] offset:2048
      v_mov_b32 v10, 0
      v_mov_b32 v12, vcc_lo
      v_mov_b32 v13, vcc_hi
      global_store_dwordx2 v10, v[12:13], s[0:1] offset:2560
      v_mov_b32 v12, s90
      v_mov_b32 v13, s91
      global_store_dwordx2 v10, v[12:13], s[0:1] offset:2568
      s_endpgm
    )");
    runOk();
    Vcc = L->Vcc;
    Exec = L->Exec;
    Results R;
    std::copy(L->Out, L->Out + 64, R.begin());
    return R;
  }

  /// Lane L gets the L-th combination of \p Values, round and round.
  static Inputs combinations(const std::vector<uint64_t> &Values) {
    Inputs In;
    size_t N = Values.size();
    for (size_t L = 0; L != 64; ++L)
      In[L] = {Values[L % N], Values[(L / N + L * 3) % N],
               Values[(L / 2 + 1) % N]};
    return In;
  }

  uint64_t Vcc = 0, Exec = 0;
};

inline uint64_t bits(float Value) { return std::bit_cast<uint32_t>(Value); }
inline uint64_t bits(double Value) { return std::bit_cast<uint64_t>(Value); }
inline float asF32(uint64_t Bits) {
  return std::bit_cast<float>(uint32_t(Bits));
}
inline double asF64(uint64_t Bits) { return std::bit_cast<double>(Bits); }

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_LANETEST_H
