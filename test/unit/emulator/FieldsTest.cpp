// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of encodings: those that an operation does not use may hold anything,
// and DPP controls that a target does not have make no instruction.
#include "Assembler.h"
#include "emulator/exec/Decoder.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

namespace luthier::test {
namespace {

using namespace emulator;

struct Device {
  const Target *T;
  unsigned WaveSize;
};

std::vector<Device> devices(bool (*IsWanted)(const Target &) = nullptr) {
  std::vector<Device> All;
  for (const Target &T : targets())
    for (unsigned WaveSize : {64u, 32u})
      if ((WaveSize == 64 || T.HasWave32) && (!IsWanted || IsWanted(T)))
        All.push_back({&T, WaveSize});
  return All;
}

using Bytes = std::vector<uint8_t>;

class Fields : public ::testing::TestWithParam<Device> {
protected:
  Fields() {
    std::string Error;
    D = Decoder::get(*T, GetParam().WaveSize, Error);
  }
  Bytes codeOf(const std::string &Line) const {
    Bytes Code =
        assembleEach({Line}, std::string(T->Name), GetParam().WaveSize).front();
    const Decoder::Result R = D->decodeAnew(Code, false);
    Code.resize(R.Inst ? R.Inst->I.Dwords * 4u : 0);
    return Code;
  }
  bool isDecoded(const Bytes &Code) const {
    return D->decodeAnew(Code, true).What == Decoder::Status::Ok;
  }

  const Target *T = GetParam().T;
  Decoder *D;
};

/// Targets with long encodings that take DPP, and with DPP on register pairs.
class LongDpp : public Fields {};
class PairDpp : public Fields {};

void setField(Bytes &Code, unsigned Word, unsigned Shift, unsigned Bits,
              uint32_t Value) {
  uint32_t Old;
  std::memcpy(&Old, &Code[4 * Word], 4);
  const uint32_t Mask = ((1u << Bits) - 1) << Shift;
  Old = (Old & ~Mask) | (Value << Shift & Mask);
  std::memcpy(&Code[4 * Word], &Old, 4);
}

struct UnusedField {
  const char *Line;
  unsigned First, Last; ///< Generations whose encoding has it there.
  unsigned Word, Shift, Bits;
};
constexpr UnusedField UnusedFields[] = {
    {"ds_add_u32 v0, v1", 9, 12, 1, 24, 8},
    {"ds_add_u32 v0, v1", 9, 12, 1, 16, 8},
    {"ds_write_b64 v0, v[2:3]", 9, 10, 1, 24, 8},
    {"ds_store_b64 v0, v[2:3]", 11, 12, 1, 24, 8},
    {"ds_read_b32 v0, v1", 9, 10, 1, 8, 8},
    {"ds_load_b32 v0, v1", 11, 12, 1, 16, 8},
    {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2", 11, 12, 0, 9, 8},
    {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2", 11, 12, 1, 9, 8},
    {"global_store_dword v[0:1], v2, off", 9, 10, 1, 24, 8},
    {"global_store_b32 v[0:1], v2, off", 11, 11, 1, 24, 8},
    {"global_store_b32 v[0:1], v2, off", 12, 12, 1, 0, 8},
    {"global_load_dword v2, v[0:1], off", 9, 10, 1, 8, 8},
    {"global_load_b32 v2, v[0:1], off", 11, 11, 1, 8, 8},
    {"global_load_b32 v2, v[0:1], off", 12, 12, 1, 23, 8},
    {"v_mov_b32_e64 v0, v1", 9, 12, 1, 9, 9},
    {"v_mov_b32_e64 v0, v1", 9, 12, 1, 18, 9},
    {"v_add_f32_e64 v0, v1, v2", 9, 12, 1, 18, 9},
    {"v_pk_add_f16 v0, v1, v2", 9, 12, 1, 18, 9},
    {"v_nop", 9, 12, 0, 17, 8},
    {"s_setpc_b64 s[0:1]", 9, 12, 0, 16, 7},
};

TEST_P(Fields, OfWhatAnOperationDoesNotHaveMayHoldAnything) {
  std::mt19937 Random(11);
  for (const UnusedField &F : UnusedFields) {
    const bool IsDual = std::string_view(F.Line).starts_with("v_dual");
    if (T->Generation < F.First || T->Generation > F.Last ||
        (IsDual && GetParam().WaveSize == 64))
      continue;
    const Bytes Code = codeOf(F.Line);
    ASSERT_GE(Code.size(), 4 * (F.Word + 1)) << F.Line;
    const std::string Text = D->print(Code, 0);
    for (unsigned Try = 0; Try != 16; ++Try) {
      Bytes Other = Code;
      setField(Other, F.Word, F.Shift, F.Bits, Random() | 1u << Try % F.Bits);
      EXPECT_TRUE(isDecoded(Other)) << F.Line;
      EXPECT_EQ(D->print(Other, 0), Text);
    }
  }
}

TEST_P(Fields, SeveralUnusedOnesMayHoldAnything) {
  Bytes Code = codeOf("ds_add_u32 v0, v1");
  setField(Code, 1, 24, 8, 7);
  setField(Code, 1, 16, 8, 9);
  EXPECT_TRUE(isDecoded(Code));
}

/// A source that is no register or constant is an error, not a spare field.
TEST_P(Fields, OfOperandsAreNotOverlooked) {
  Bytes Code = codeOf("v_add_f32_e64 v0, v1, v2");
  constexpr uint32_t NoSource = 209;
  setField(Code, 1, 9, 9, NoSource);
  EXPECT_FALSE(isDecoded(Code));
}

/// Written from the manuals' tables of dpp_ctrl.
bool hasControl(const Target &T, unsigned Control) {
  const bool IsRdna = T.Generation >= 10;
  const bool HasNewBroadcast =
      T.Name == "gfx90a" || T.Name == "gfx942" || T.Name == "gfx950";
  auto isIn = [&](unsigned First, unsigned Last) {
    return Control >= First && Control <= Last;
  };
  if (isIn(0, 0xff) || isIn(0x101, 0x10f) || isIn(0x111, 0x11f) ||
      isIn(0x121, 0x12f) || isIn(0x140, 0x141))
    return true;
  if (Control == 0x130 || Control == 0x134 || Control == 0x138 ||
      Control == 0x13c || isIn(0x142, 0x143))
    return !IsRdna;
  if (isIn(0x150, 0x15f))
    return IsRdna || HasNewBroadcast;
  return isIn(0x160, 0x16f) && IsRdna;
}

TEST_P(Fields, OnlyDppControlsThatTheTargetHasAreDecoded) {
  const Bytes Short = codeOf("v_mov_b32_dpp v0, v1 row_shl:1");
  ASSERT_EQ(Short.size(), 8u);
  for (unsigned Control = 0; Control != 0x200; ++Control) {
    Bytes Code = Short;
    setField(Code, 1, 8, 9, Control);
    EXPECT_EQ(isDecoded(Code), hasControl(*T, Control)) << std::hex << Control;
  }
}

TEST_P(LongDpp, ControlsThatTheTargetDoesNotHaveAreNotDecoded) {
  const Bytes Long = codeOf(
      "v_add_f32_e64_dpp v0, v1, |v2| row_shl:1 row_mask:0xf bank_mask:0xf");
  ASSERT_EQ(Long.size(), 12u);
  for (unsigned Control = 0; Control != 0x200; ++Control) {
    Bytes Code = Long;
    setField(Code, 2, 8, 9, Control);
    EXPECT_EQ(isDecoded(Code), hasControl(*T, Control)) << std::hex << Control;
  }
}

TEST_P(PairDpp, BroadcastsOnly) {
  const Bytes Wide = codeOf("v_ceil_f64_dpp v[2:3], v[4:5] row_newbcast:1 "
                            "row_mask:0xf bank_mask:0xf");
  ASSERT_EQ(Wide.size(), 8u);
  for (unsigned Control = 0; Control != 0x200; ++Control) {
    Bytes Code = Wide;
    setField(Code, 1, 8, 9, Control);
    EXPECT_EQ(isDecoded(Code), Control >= 0x150 && Control <= 0x15f)
        << std::hex << Control;
  }
}

std::string nameOf(const ::testing::TestParamInfo<Device> &Info) {
  return std::string(Info.param.T->Name) + "_wave" +
         std::to_string(Info.param.WaveSize);
}
INSTANTIATE_TEST_SUITE_P(All, Fields, ::testing::ValuesIn(devices()), nameOf);
INSTANTIATE_TEST_SUITE_P(All, LongDpp,
                         ::testing::ValuesIn(devices([](const Target &T) {
                           return T.Generation >= 11;
                         })),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(All, PairDpp,
                         ::testing::ValuesIn(devices([](const Target &T) {
                           return T.Generation == 9 && T.HasUnifiedFile;
                         })),
                         nameOf);

} // namespace
} // namespace luthier::test
