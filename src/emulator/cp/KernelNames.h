// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for dispatched kernels, taken from the code object as it lies in device
// memory. Nothing the engine says goes in, so that its figures can be checked
// against the emulator's.
#ifndef LUTHIER_EMULATOR_CP_KERNELNAMES_H
#define LUTHIER_EMULATOR_CP_KERNELNAMES_H

#include "emulator/cp/KernelObject.h"
#include "emulator/memory/AddressSpace.h"
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace luthier::emulator {

struct KernelSymbol {
  std::string Name;
  uint64_t CodeBase = 0; ///< Of its code object, or, without one, of its code.
};

/// The symbol "<name>.kd" of a loaded code object whose address is
/// \p KernelObject, without the suffix. Searches downwards, page by page, in
/// the mapped range for the ELF header of the code object around it.
std::optional<KernelSymbol> findKernelSymbol(const AddressSpace &Memory,
                                             uint64_t KernelObject);

/// ROCr's own blit kernels belong to no code object. They are told apart by
/// the register counts ROCr gives them; "rocr.blit" if those are unknown.
std::string blitKernelName(const KernelObject &Object);
inline bool isBlitKernel(const std::string &Name) {
  return Name.starts_with("rocr.");
}

/// Thread-safe, remembers answers until the address space changes.
class KernelNames {
public:
  explicit KernelNames(const AddressSpace &Memory) : Memory(Memory) {}

  /// The name is never empty: falls back on the address.
  KernelSymbol lookup(uint64_t Address, const KernelObject &Object);

private:
  const AddressSpace &Memory;
  std::mutex Mutex;
  uint64_t Generation = 0;
  std::unordered_map<uint64_t, KernelSymbol> Known;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_KERNELNAMES_H
