// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stopped waves in strict mode: what the caller writes counts as initialised,
// and as waited for.
#include "Fixture.h"

namespace luthier::test {
namespace {

class StrictStep : public ApiTest {
protected:
  explicit StrictStep(const char *Strict = "1") : ApiTest("gfx90a", Strict) {}
  /// Stands before instruction \p N of one wave.
  void stopBefore(uint64_t N, const std::string &Source, uint64_t Data = 0) {
    auto Launch = raw(Source, Data);
    Launch.lds_size = 256;
    EXPECT_EMU_OK(
        luthier_emu_execution_create_raw(Device, &Launch, &Execution));
    EXPECT_EMU_OK(luthier_emu_step(Execution, 0, N, nullptr));
  }
  void expectViolation(const char *Rule) {
    EXPECT_EQ(luthier_emu_run(Execution, nullptr), LUTHIER_EMU_VIOLATION);
    auto Violation = sized<luthier_emu_violation>();
    ASSERT_EQ(luthier_emu_violation_at(Device, 0, &Violation), LUTHIER_EMU_OK);
    EXPECT_STREQ(Violation.rule, Rule);
  }
  void writeVector(uint32_t Index, uint32_t Value, uint32_t First = 0,
                   uint32_t Count = 64) {
    const std::vector<uint32_t> Values(Count, Value);
    EXPECT_EMU_OK(luthier_emu_write_vector(Execution, 0, LUTHIER_EMU_VGPR,
                                           Index, First, Count, Values.data()));
  }
};

constexpr char BranchOnSgpr[] = R"(
    s_nop 0
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 end
    s_nop 0
  end:
    s_endpgm)";
constexpr char BranchOnVgpr[] = R"(
    s_nop 0
    v_cmp_eq_u32 vcc, 3, v5
    s_nop 4
    s_cbranch_vccz end
    s_nop 0
  end:
    s_endpgm)";

TEST_F(StrictStep, AScalarThatNobodyWroteDecidesNothing) {
  stopBefore(1, BranchOnSgpr);
  expectViolation("uninitialised-branch");
}
TEST_F(StrictStep, AWrittenScalarIsInitialised) {
  stopBefore(1, BranchOnSgpr);
  EXPECT_EMU_OK(
      luthier_emu_write_scalar(Execution, 0, LUTHIER_EMU_SGPR, 20, 0));
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
}
TEST_F(StrictStep, AWrittenRowIsInitialised) {
  stopBefore(1, BranchOnVgpr);
  writeVector(5, 3);
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
}
TEST_F(StrictStep, OnlyTheWrittenLanesAreInitialised) {
  stopBefore(1, BranchOnVgpr);
  // Lane 63 decides.
  writeVector(5, 4, 0, 63);
  expectViolation("uninitialised-branch");
}

constexpr char BranchOnLds[] = R"(
    v_mov_b32 v1, 8
    s_nop 0
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s4, v2
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 end
    s_nop 0
  end:
    s_endpgm)";

TEST_F(StrictStep, LdsThatNobodyWroteDecidesNothing) {
  stopBefore(2, BranchOnLds);
  expectViolation("uninitialised-branch");
}
TEST_F(StrictStep, WrittenLdsIsInitialised) {
  stopBefore(2, BranchOnLds);
  const uint32_t Word = 7;
  EXPECT_EMU_OK(luthier_emu_write_lds(Execution, 0, 8, 4, &Word));
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
}

/// Stores what it never wrote, and decides by it.
constexpr char BranchOnMemory[] = R"(
    v_mov_b32 v1, 0
    global_store_dword v1, v7, s[0:1]
    s_waitcnt vmcnt(0)
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s4, v2
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 end
    s_nop 0
  end:
    s_endpgm)";

TEST_F(StrictStep, UninitialisedBitsGoThroughMemory) {
  stopBefore(3, BranchOnMemory, allocate(256));
  expectViolation("uninitialised-branch");
}
TEST_F(StrictStep, MemoryThatIsWrittenMeanwhileIsInitialised) {
  const uint64_t Data = allocate(256);
  stopBefore(3, BranchOnMemory, Data);
  write<uint32_t>(Data, {9});
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
}

/// Loads pairs, of whose first register the caller takes care.
class LateLoad : public StrictStep {
protected:
  LateLoad() : StrictStep("loads=latest") {}
  void load(const char *Behind) {
    Data = allocate(256);
    write<uint32_t>(Data, {11, 22});
    stopBefore(2, std::string(R"(
    v_mov_b32 v4, 0
    global_load_dwordx2 v[2:3], v4, s[0:1]
    )") + Behind + "\ns_endpgm",
               Data);
  }
  uint64_t Data = 0;
};

TEST_F(LateLoad, ReadingWhatIsInFlightIsAnError) {
  load("v_mov_b32 v6, v2");
  expectViolation("missing-wait");
}
TEST_F(LateLoad, AWrittenRegisterKeepsItsValueWhenTheLoadReturns) {
  load("v_mov_b32 v6, v2\ns_waitcnt vmcnt(0)\n"
       "global_store_dwordx2 v4, v[2:3], s[0:1] offset:8\n"
       "global_store_dword v4, v6, s[0:1] offset:16");
  writeVector(2, 77);
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
  EXPECT_EQ(read<uint32_t>(Data, 5),
            (std::vector<uint32_t>{11, 22, 77, 22, 77}));
}
TEST_F(LateLoad, TheOtherRegistersOfTheLoadStillNeedAWait) {
  load("v_mov_b32 v6, v3");
  writeVector(2, 77);
  expectViolation("missing-wait");
}
TEST_F(LateLoad, ScalarsAreTakenCareOfInTheSameWay) {
  Data = allocate(256);
  write<uint32_t>(Data, {11, 22});
  stopBefore(1, R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_add_u32 s6, s4, 0
    s_waitcnt lgkmcnt(0)
    s_endpgm)",
             Data);
  EXPECT_EMU_OK(
      luthier_emu_write_scalar(Execution, 0, LUTHIER_EMU_SGPR, 4, 77));
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 6), 77u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 5), 22u);
}

} // namespace
} // namespace luthier::test
