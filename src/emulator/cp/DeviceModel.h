// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an emulated device looks like from outside: the facts topology queries
// and dispatch checks need. The rows are in Devices.def and core/Target.cpp.
#ifndef LUTHIER_EMULATOR_CP_DEVICEMODEL_H
#define LUTHIER_EMULATOR_CP_DEVICEMODEL_H

#include "emulator/core/Target.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace luthier::emulator {

struct DeviceModel {
  /// LLVM processor name, such as "gfx90a".
  const char *Name;
  unsigned ComputeUnits;
  unsigned ShaderEngines;
  /// The target id then carries "sramecc+".
  bool SramEcc;
  /// What queues have bound as scratch, runtimes may take back while they work.
  bool LendsScratch;
  unsigned Firmware;
  /// The first ROCm whose runtime takes it, such as "5.2".
  const char *FirstRocm;
  uint16_t DeviceId;
  const char *CodeName;
  /// Packets that copy rectangles are those of SDMA 7.
  bool WideRectangles;

  /// The architecture; every device has one.
  const Target &target() const;
  /// What a kernel asks for may differ.
  unsigned nativeWaveSize() const { return target().HasWave32 ? 32 : 64; }
  uint32_t ldsBytes() const { return target().LdsPerUnit; }
  /// AGPRs included.
  uint32_t vgprBytesPerUnit() const;
};

std::span<const DeviceModel> deviceModels();
/// Null for a name that has no row.
const DeviceModel *findDeviceModel(std::string_view Name);

/// All names, separated by ", ", for messages.
std::string deviceModelNames();

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_DEVICEMODEL_H
