// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that make no sense: each says why, and none does anything.
#include "Fixture.h"

namespace luthier::test {
namespace {

class Arguments : public ApiTest {
protected:
  /// The text is the device's, or the thread's if there is no device.
  void expectRefused(luthier_emu_status Status, const char *Text,
                     const luthier_emu_device *Of) {
    EXPECT_EQ(Status, LUTHIER_EMU_INVALID_ARGUMENT);
    EXPECT_NE(std::string(luthier_emu_error(Of)).find(Text), std::string::npos)
        << "'" << luthier_emu_error(Of) << "', not: " << Text;
    if (Of)
      luthier_emu_read(Device, 0, &Byte, 1); // Another text.
    else
      luthier_emu_device_create(nullptr, nullptr);
  }
  uint8_t Byte = 0;
};

constexpr char Null[] = "a pointer that is needed is null";

TEST_F(Arguments, NullPointersAreNamed) {
  load();
  expectRefused(luthier_emu_load(Device, nullptr, 1, &Code), Null, Device);
  expectRefused(luthier_emu_load(nullptr, &Byte, 1, &Code), Null, nullptr);
  expectRefused(luthier_emu_symbol(Code, nullptr, nullptr, nullptr), Null,
                Device);
  expectRefused(luthier_emu_read(Device, 0, nullptr, 4), Null, Device);
  expectRefused(luthier_emu_dispatch(Code, nullptr, nullptr, nullptr), Null,
                Device);
  expectRefused(luthier_emu_step(nullptr, 0, 1, nullptr), Null, nullptr);
  expectRefused(luthier_emu_counts(Device, nullptr, 0, nullptr), Null, Device);
  expectRefused(luthier_emu_lockstep(nullptr, nullptr, nullptr, nullptr), Null,
                nullptr);
}

TEST_F(Arguments, StructsWithoutASizeAreNamed) {
  load();
  luthier_emu_device *Other = nullptr;
  const luthier_emu_device_options NoOptions{};
  expectRefused(luthier_emu_device_create(&NoOptions, &Other),
                "struct_size of the options", nullptr);
  EXPECT_EQ(Other, nullptr);
  luthier_emu_kernel_info Kernel{};
  const char *Name = luthier_emu_kernel_name(Code, 0);
  expectRefused(luthier_emu_kernel(Code, Name, &Kernel),
                "struct_size of the info", Device);
  luthier_emu_argument_info Argument{};
  expectRefused(luthier_emu_kernel_argument(Code, Name, 0, &Argument),
                "struct_size of the info", Device);
  const luthier_emu_launch NoLaunch{};
  expectRefused(luthier_emu_dispatch(Code, Name, &NoLaunch, nullptr),
                "struct_size of the launch", Device);
  luthier_emu_violation Violation{};
  expectRefused(luthier_emu_violation_at(Device, 0, &Violation),
                "struct_size of the violation", Device);

  auto Launch = raw("s_endpgm", 0);
  luthier_emu_stats Stats{};
  expectRefused(luthier_emu_dispatch_raw(Device, &Launch, &Stats),
                "struct_size of the statistics", Device);
  EXPECT_EMU_OK(luthier_emu_execution_create_raw(Device, &Launch, &Execution));
  luthier_emu_wave_info Wave{};
  expectRefused(luthier_emu_wave(Execution, 0, &Wave),
                "struct_size of the wave info", Device);
  expectRefused(luthier_emu_run(Execution, &Stats),
                "struct_size of the statistics", Device);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_PC), Launch.entry_address)
      << "something was executed";
}

/// Two executions of a raw kernel, on a device and its clone.
class Pair : public Arguments {
protected:
  Pair() {
    Launch = raw("s_nop 0\ns_endpgm", 0);
    EXPECT_EMU_OK(luthier_emu_clone(Device, &Clone));
    EXPECT_EMU_OK(
        luthier_emu_execution_create_raw(Device, &Launch, &Execution));
    EXPECT_EMU_OK(luthier_emu_execution_create_raw(Clone, &Launch, &Other));
  }
  ~Pair() override {
    luthier_emu_execution_destroy(Other);
    luthier_emu_device_destroy(Clone);
  }
  luthier_emu_status compare(const luthier_emu_lockstep_options &How) {
    return luthier_emu_lockstep(Execution, Other, &How, nullptr);
  }
  luthier_emu_raw_launch Launch;
  luthier_emu_device *Clone = nullptr;
  luthier_emu_execution *Other = nullptr;
};

TEST_F(Pair, AComparisonWantsSizesAndTwoDevices) {
  expectRefused(compare({}), "struct_size of the options", Device);
  const auto How = sized<luthier_emu_lockstep_options>();
  luthier_emu_difference Difference{};
  expectRefused(luthier_emu_lockstep(Execution, Other, &How, &Difference),
                "struct_size of the difference", Device);
  expectRefused(luthier_emu_lockstep(Execution, Execution, &How, nullptr),
                "of one device", Device);
}

TEST_F(Pair, ExecutionsAreComparedOnceAndFromTheirBeginning) {
  auto How = sized<luthier_emu_lockstep_options>();
  const luthier_emu_pc_pair Map[] = {
      {Launch.entry_address, Launch.entry_address},
      {Launch.entry_address + 4, Launch.entry_address + 4}};
  How.map = Map;
  How.map_count = 2;
  EXPECT_EMU_OK(compare(How));
  expectRefused(compare(How), "executed something already", Device);
  expectRefused(luthier_emu_run(Execution, nullptr), "used up", Device);
  uint64_t Value = 0;
  expectRefused(
      luthier_emu_read_scalar(Execution, 0, LUTHIER_EMU_PC, 0, &Value),
      "used up", Device);
  EXPECT_EQ(luthier_emu_wave_count(Execution), 0u);
  luthier_emu_execution_destroy(Execution);
  EXPECT_EMU_OK(luthier_emu_execution_create_raw(Device, &Launch, &Execution));
  EXPECT_EMU_OK(luthier_emu_step(Execution, 0, 1, nullptr));
  expectRefused(compare(How), "executed something already", Device);
}

} // namespace
} // namespace luthier::test
