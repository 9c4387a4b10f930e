// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of sysfs that management tools read (rocm-smi, amd-smi): each
// GPU as a PCI device and as a card of the graphics drivers.
#ifndef LUTHIER_EMULATOR_KFD_CARDFILES_H
#define LUTHIER_EMULATOR_KFD_CARDFILES_H

#include "emulator/kfd/Gpu.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace luthier::emulator {

struct CardFiles {
  /// By path: drm/... stands for /sys/class/drm, whose links lead to pci/...
  std::map<std::string, std::string> Texts;
  /// What symbolic links lead to.
  std::map<std::string, std::string> Links;
  /// What is empty.
  std::set<std::string> Folders;
};

/// The version of the DMA engines' firmware.
inline constexpr unsigned DmaFirmware = 8;

/// Where the GPU is on the bus: 0000:2a:00.0.
std::string pciAddress(const Gpu &TheGpu);

/// What no emulated GPU has, such as a temperature, has no file.
void addCardFiles(CardFiles &All, const Gpu &TheGpu, uint64_t LocalMemoryBytes);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_CARDFILES_H
