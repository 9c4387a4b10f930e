// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a packet's kernel_object points at: a 64-byte kernel descriptor, or the
// 256-byte amd_kernel_code_t that ROCr assembles for its own blit kernels. The
// fields the hardware reads lie at the same offsets in both.
#ifndef LUTHIER_EMULATOR_CP_KERNELOBJECT_H
#define LUTHIER_EMULATOR_CP_KERNELOBJECT_H

#include "emulator/memory/AddressSpace.h"
#include <cstdint>
#include <optional>

namespace luthier::emulator {

struct KernelObject {
  uint64_t EntryPC = 0;
  uint32_t ComputePgmRsrc1 = 0;
  uint32_t ComputePgmRsrc2 = 0;
  uint32_t ComputePgmRsrc3 = 0;
  uint16_t Properties = 0;
  uint16_t KernargPreload = 0;
  /// The code follows at the distance of an amd_kernel_code_t.
  bool HasLegacyHeader = false;

  bool isWave32() const { return Properties & (1u << 10); }
};

/// Nothing if the device has no such memory or it holds no kernel object.
std::optional<KernelObject> readKernelObject(const AddressSpace &Memory,
                                             uint64_t Address);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_KERNELOBJECT_H
