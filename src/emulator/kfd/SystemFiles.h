// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of sysfs and devfs that runtimes, rocminfo and management tools
// read: one CPU node and the emulated GPUs, each linked to it and to one
// another.
#ifndef LUTHIER_EMULATOR_KFD_SYSTEMFILES_H
#define LUTHIER_EMULATOR_KFD_SYSTEMFILES_H

#include "emulator/kfd/CardFiles.h"
#include "emulator/kfd/Gpu.h"
#include "emulator/kfd/SharedFolder.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace luthier::emulator {

using GpuList = std::vector<std::unique_ptr<Gpu>>;

/// Beside the cards' files: kfd/... stands for /sys/devices/virtual/kfd/kfd,
/// module/... for /sys/module/amdgpu, dev/... for /dev.
CardFiles describeSystem(const GpuList &Gpus, uint64_t LocalMemoryBytes);

/// Writes them to a folder of this user, which processes with equal devices
/// share. Without a path there is a message.
SharedFolder writeSystemFiles(const GpuList &Gpus, uint64_t LocalMemoryBytes,
                              std::string &Error);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_SYSTEMFILES_H
