// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that the runtime adds behind the programmer's (AMDGPUUsage, "Code
// Object Metadata", ".value_kind").
#ifndef LUTHIER_EMULATOR_API_HIDDENARGUMENTS_H
#define LUTHIER_EMULATOR_API_HIDDENARGUMENTS_H

#include "emulator/api/KernelMetadata.h"
#include <optional>

namespace luthier::emulator::api {

struct LaunchShape {
  uint32_t Grid[3];
  uint32_t Workgroup[3];
  uint32_t DynamicLds;
  uint64_t QueueAddress;
};

/// The value of a hidden argument: zero for services that a device of one's own
/// does not have, such as printf buffers.
uint64_t hiddenArgument(llvm::StringRef Kind, const LaunchShape &Shape);

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_HIDDENARGUMENTS_H
