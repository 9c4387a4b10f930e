// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/EmulatorHandles.h"
#include "cli/ExecArgument.h"
#include "cli/FileCommand.h"

using namespace llvm;

namespace luthier::cli {

Error deviceError(const luthier_emu_device *Device) {
  return failed(luthier_emu_error(Device));
}

Expected<DeviceHandle> createDevice(const luthier_emu_device_options &Options) {
  luthier_emu_device *New = nullptr;
  if (luthier_emu_device_create(&Options, &New) != LUTHIER_EMU_OK)
    return deviceError(nullptr);
  return DeviceHandle(New);
}

Expected<DeviceHandle> cloneDevice(luthier_emu_device *Device) {
  luthier_emu_device *New = nullptr;
  if (luthier_emu_clone(Device, &New) != LUTHIER_EMU_OK)
    return deviceError(Device);
  return DeviceHandle(New);
}

Expected<CodeHandle> loadCode(luthier_emu_device *Device,
                              ArrayRef<uint8_t> CodeObject) {
  luthier_emu_code *New = nullptr;
  if (luthier_emu_load(Device, CodeObject.data(), CodeObject.size(), &New) !=
      LUTHIER_EMU_OK)
    return deviceError(Device);
  return CodeHandle(New);
}

std::string strictChecks(const Arguments &Args) {
  const std::string *Strict = Args.value("--strict");
  return !Strict ? "" : Strict->empty() ? "1" : *Strict;
}

Expected<uint64_t> numberOf(const Arguments &Args, StringRef Option,
                            uint64_t Most) {
  const std::string *Text = Args.value(Option);
  uint64_t Value = 0;
  if (!Text || (parseSize(*Text, Value) && Value <= Most))
    return Value;
  return failed(Option + " " + *Text + ": a number up to " + Twine(Most) +
                " is expected");
}

} // namespace luthier::cli
