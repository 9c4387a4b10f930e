// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may stand in a clause.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class Clauses : public StrictMachine {
protected:
  explicit Clauses(const char *Target = "gfx1030")
      : StrictMachine("hazards", Target, 32) {}
  static std::string of(unsigned Count, const std::string &Members) {
    // No lane touches memory.
    return "s_mov_b32 exec_lo, 0\ns_clause " + std::to_string(Count - 1) +
           "\n" + Members +
           "\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v9, 0\ns_endpgm";
  }
};

TEST_F(Clauses, HoldOneKindOfInstruction) {
  expectQuiet(of(2, R"(
    global_load_dword v2, v0, s[0:1]
    buffer_load_dword v3, v0, s[4:7], 0 offen)"));
  expectQuiet(of(2, "s_load_dword s4, s[0:1], 0\ns_load_dword s5, s[0:1], 4"));
  expectQuiet(of(2, "ds_read_b32 v2, v0\nds_read_b32 v3, v0 offset:4"));
  expectQuiet(of(2, "ds_read_b32 v2, v0\nds_bpermute_b32 v3, v0, v1"));
  expectQuiet(of(2, "v_mov_b32 v2, 0\nv_mov_b32 v3, 0"));
}

TEST_F(Clauses, MayHaveWhatUsesNoUnit) {
  expectQuiet(of(3, R"(
    global_load_dword v2, v0, s[0:1]
    s_nop 0
    global_load_dword v3, v0, s[0:1] offset:4)"));
}

TEST_F(Clauses, EndAfterTheirNumber) {
  expectQuiet(of(1, "global_load_dword v2, v0, s[0:1]\ns_mov_b32 s4, 0"));
}

TEST_F(Clauses, AnotherUnitIsAViolation) {
  for (const char *Other :
       {"v_mov_b32 v3, 0", "s_mov_b32 s4, 0", "ds_read_b32 v3, v0",
        "s_load_dword s4, s[0:1], 0", "s_branch 0"}) {
    SCOPED_TRACE(Other);
    const std::string Name(Other, std::string(Other).find(' '));
    auto V = expectOne(
        Rule::Clause, Name,
        of(2, "global_load_dword v2, v0, s[0:1]\n" + std::string(Other)));
    EXPECT_EQ(V.OtherPC, Request.EntryPC + 4);
  }
}

TEST_F(Clauses, ScalarArithmeticHasNone) {
  expectOne(Rule::Clause, "s_mov_b32", of(1, "s_mov_b32 s4, 0"));
}

} // namespace
} // namespace luthier::test
