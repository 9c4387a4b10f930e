// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DeviceModel.h"
#include "emulator/core/Registers.h"

namespace luthier::emulator {

static constexpr DeviceModel Models[] = {
#define LUTHIER_DEVICE(Name, ...) {#Name, __VA_ARGS__},
#include "emulator/cp/Devices.def"
};

const Target &DeviceModel::target() const {
  // A test holds the two lists against each other.
  return *findTarget(std::string_view(Name));
}

uint32_t DeviceModel::vgprBytesPerUnit() const {
  const Target &T = target();
  const bool HasSecondFile = T.HasAgprs && !T.HasUnifiedFile;
  return T.VgprsPerSimd * NumLanes * unsigned(sizeof(uint32_t)) *
         T.SimdsPerUnit * (HasSecondFile ? 2 : 1);
}

std::span<const DeviceModel> deviceModels() { return Models; }

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
