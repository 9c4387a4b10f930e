// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/KernelObject.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <cstddef>
#include <cstring>
#include <hsa/amd_hsa_kernel_code.h>

namespace luthier::emulator {

using llvm::amdhsa::kernel_descriptor_t;

static_assert(offsetof(kernel_descriptor_t, kernel_code_entry_byte_offset) ==
              offsetof(amd_kernel_code_t, kernel_code_entry_byte_offset));
static_assert(offsetof(kernel_descriptor_t, compute_pgm_rsrc1) ==
              offsetof(amd_kernel_code_t, compute_pgm_rsrc1));
static_assert(offsetof(kernel_descriptor_t, compute_pgm_rsrc2) ==
              offsetof(amd_kernel_code_t, compute_pgm_rsrc2));
static_assert(offsetof(kernel_descriptor_t, kernel_code_properties) ==
              offsetof(amd_kernel_code_t, kernel_code_properties));

std::optional<KernelObject> readKernelObject(const AddressSpace &Memory,
                                             uint64_t Address) {
  if (Address % 64 != 0 || !Memory.contains(Address, 64))
    return std::nullopt;
  kernel_descriptor_t Descriptor;
  std::memcpy(&Descriptor, reinterpret_cast<const void *>(Address),
              sizeof(Descriptor));
  KernelObject Object;
  Object.EntryPC = Address + Descriptor.kernel_code_entry_byte_offset;
  if (Descriptor.kernel_code_entry_byte_offset == 0 ||
      !Memory.contains(Object.EntryPC, 4))
    return std::nullopt;
  Object.ComputePgmRsrc1 = Descriptor.compute_pgm_rsrc1;
  Object.ComputePgmRsrc2 = Descriptor.compute_pgm_rsrc2;
  // In an amd_kernel_code_t these four bytes are the upper half of a size that
  // nobody uses; ROCr stores the gfx90a accumulator offset there.
  Object.ComputePgmRsrc3 = Descriptor.compute_pgm_rsrc3;
  Object.Properties = Descriptor.kernel_code_properties;
  Object.HasLegacyHeader = Descriptor.kernel_code_entry_byte_offset ==
                           int64_t(sizeof(amd_kernel_code_t));
  if (!Object.HasLegacyHeader)
    Object.KernargPreload = Descriptor.kernarg_preload;
  return Object;
}

} // namespace luthier::emulator
