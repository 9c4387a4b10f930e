// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device behind the C API, and what tests ask of it.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_API_FIXTURE_H
#define LUTHIER_TEST_UNIT_EMULATOR_API_FIXTURE_H

#include "Assembler.h"
#include "luthier/emulator.h"
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace luthier::test {

/// Expects success, and shows the device's error otherwise.
#define EXPECT_EMU_OK(Call) EXPECT_EQ(Call, LUTHIER_EMU_OK) << error()

template <class T> T sized() {
  T Result{};
  Result.struct_size = sizeof(T);
  return Result;
}

inline std::vector<char> codeObject(unsigned Version) {
  std::ifstream File(CODE_OBJECTS + std::to_string(Version) + ".co",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(File), {}};
}

class ApiTest : public ::testing::Test {
protected:
  explicit ApiTest(const char *Target = "gfx90a",
                   const char *Strict = nullptr) {
    auto Options = sized<luthier_emu_device_options>();
    Options.target = Target;
    Options.count_instructions = 1;
    Options.strict = Strict;
    EXPECT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK)
        << luthier_emu_error(nullptr);
  }
  ~ApiTest() override {
    luthier_emu_execution_destroy(Execution);
    luthier_emu_unload(Code);
    luthier_emu_device_destroy(Device);
  }
  std::string error() const { return luthier_emu_error(Device); }

  void load(unsigned Version = 5) {
    std::vector<char> Bytes = codeObject(Version);
    EXPECT_EMU_OK(luthier_emu_load(Device, Bytes.data(), Bytes.size(), &Code));
  }
  uint64_t allocate(uint64_t Size) {
    uint64_t Address = 0;
    EXPECT_EMU_OK(luthier_emu_allocate(Device, Size, &Address));
    return Address;
  }
  template <class T> void write(uint64_t Address, const std::vector<T> &From) {
    EXPECT_EMU_OK(luthier_emu_write(Device, Address, From.data(),
                                    From.size() * sizeof(T)));
  }
  template <class T> std::vector<T> read(uint64_t Address, size_t Count) {
    std::vector<T> To(Count);
    EXPECT_EMU_OK(
        luthier_emu_read(Device, Address, To.data(), Count * sizeof(T)));
    return To;
  }
  /// Raw code with the address of some memory in s[0:1].
  luthier_emu_raw_launch raw(const std::string &Source, uint64_t Data,
                             const char *Target = "gfx90a",
                             unsigned WaveSize = 64) {
    auto Launch = sized<luthier_emu_raw_launch>();
    std::vector<uint8_t> Bytes = assemble(Source, Target, WaveSize);
    EXPECT_EMU_OK(luthier_emu_load_raw(Device, Bytes.data(), Bytes.size(),
                                       &Launch.entry_address));
    User[0] = uint32_t(Data);
    User[1] = uint32_t(Data >> 32);
    Launch.user_sgprs = User;
    Launch.user_sgpr_count = 2;
    Launch.workgroup_ids = 1;
    Launch.wave_size = WaveSize;
    Launch.vgprs = 16;
    Launch.sgprs = 32;
    Launch.workgroup[0] = Launch.grid[0] = WaveSize;
    return Launch;
  }
  uint64_t scalar(uint64_t Wave, luthier_emu_register File,
                  uint32_t Index = 0) {
    uint64_t Value = 0;
    EXPECT_EMU_OK(
        luthier_emu_read_scalar(Execution, Wave, File, Index, &Value));
    return Value;
  }

  luthier_emu_device *Device = nullptr;
  luthier_emu_code *Code = nullptr;
  luthier_emu_execution *Execution = nullptr;
  uint32_t User[2];
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_API_FIXTURE_H
