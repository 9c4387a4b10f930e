// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an emulated device looks like from outside: the facts topology queries
// and dispatch checks need. The rows are in Devices.def.
#ifndef LUTHIER_EMULATOR_CP_DEVICEMODEL_H
#define LUTHIER_EMULATOR_CP_DEVICEMODEL_H

#include <cstdint>
#include <string>
#include <string_view>

namespace luthier::emulator {

struct DeviceModel {
  /// LLVM processor name, such as "gfx90a".
  const char *Name;
  unsigned Major, Minor, Stepping;
  /// Native wave size; what a kernel asks for may differ on gfx10 and later.
  unsigned WaveSize;
  unsigned ComputeUnits;
  unsigned ShaderEngines;
  unsigned SimdsPerUnit;
  unsigned WavesPerSimd;
  unsigned LdsKiB;
  unsigned VgprKiBPerUnit;
  /// The target id then carries "sramecc+".
  bool SramEcc;
  uint16_t DeviceId;
  const char *CodeName;

  uint32_t ldsBytes() const { return LdsKiB * 1024; }
};

/// Null for a name that has no row.
const DeviceModel *findDeviceModel(std::string_view Name);

/// All names, separated by ", ", for messages.
std::string deviceModelNames();

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_DEVICEMODEL_H
