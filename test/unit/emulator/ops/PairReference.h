// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that instructions with two of them can have, and what else
// EncodingTest.cpp compares lane by lane over random registers.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_PAIRREFERENCE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_PAIRREFERENCE_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace luthier::test {

/// Spelled in a pair and alone, with the operands behind the destination.
struct PairPart {
  const char *Name, *Alone;
  const char *Operands; ///< A and B are the sources, K a literal.
  bool OnlySecond = false;
  /// Null: everywhere.
  const char *OnlyOn = nullptr;

  bool existsOn(std::string_view Processor) const {
    return !OnlyOn || Processor == OnlyOn;
  }
};

inline constexpr PairPart PairParts[] = {
    {"v_dual_mov_b32", "v_mov_b32", "A"},
    {"v_dual_add_f32", "v_add_f32", "A, B"},
    {"v_dual_sub_f32", "v_sub_f32", "A, B"},
    {"v_dual_subrev_f32", "v_subrev_f32", "A, B"},
    {"v_dual_mul_f32", "v_mul_f32", "A, B"},
    {"v_dual_mul_dx9_zero_f32", "v_mul_dx9_zero_f32", "A, B"},
    {"v_dual_fmac_f32", "v_fmac_f32", "A, B"},
    {"v_dual_fmaak_f32", "v_fmaak_f32", "A, B, K"},
    {"v_dual_fmamk_f32", "v_fmamk_f32", "A, K, B"},
    {"v_dual_cndmask_b32", "v_cndmask_b32", "A, B, vcc_lo"},
    {"v_dual_max_f32", "v_max_f32", "A, B", false, "gfx1100"},
    {"v_dual_min_f32", "v_min_f32", "A, B", false, "gfx1100"},
    {"v_dual_max_num_f32", "v_max_num_f32", "A, B", false, "gfx1201"},
    {"v_dual_min_num_f32", "v_min_num_f32", "A, B", false, "gfx1201"},
    // Alone, it only exists there.
    {"v_dual_dot2acc_f32_f16", "v_dot2acc_f32_f16", "A, B", false, "gfx1100"},
    {"v_dual_add_nc_u32", "v_add_nc_u32", "A, B", true},
    {"v_dual_lshlrev_b32", "v_lshlrev_b32", "A, B", true},
    {"v_dual_and_b32", "v_and_b32", "A, B", true},
};

inline std::vector<std::string> testedPairs(const std::string &Processor) {
  std::vector<std::string> Names;
  if (Processor == "gfx1100" || Processor == "gfx1201") {
    for (const PairPart &P : PairParts)
      if (P.existsOn(Processor))
        Names.push_back(P.Name);
    Names.insert(Names.end(), {"v_dual_dot2acc_f32_f16",
                               "v_dual_dot2acc_f32_bf16", "v_mov_b16"});
  }
  if (Processor.starts_with("gfx1"))
    for (const char *Name : {"v_movreld_b32", "v_movrels_b32", "v_movrelsd_b32",
                             "v_movrelsd_2_b32", "v_swaprel_b32"})
      Names.push_back(Name);
  return Names;
}

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_PAIRREFERENCE_H
