// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DeviceModel.h"

namespace luthier::emulator {

static constexpr DeviceModel Models[] = {
#define LUTHIER_DEVICE(Name, ...) {#Name, __VA_ARGS__},
#include "emulator/cp/Devices.def"
};

const DeviceModel *findDeviceModel(std::string_view Name) {
  for (const DeviceModel &Model : Models)
    if (Name == Model.Name)
      return &Model;
  return nullptr;
}

std::string deviceModelNames() {
  std::string Names;
  for (const DeviceModel &Model : Models) {
    if (!Names.empty())
      Names += ", ";
    Names += Model.Name;
  }
  return Names;
}

} // namespace luthier::emulator
