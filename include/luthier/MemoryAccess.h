// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses of an instruction, for hooks and for host code.
//
// Most memory instructions make one access, number 0. Two are made by
//  - ds_read2 and its like: a first and a second place in LDS;
//  - ds_..._src2: the place that is changed, and the one that is read;
//  - loads from memory to LDS and back: memory first, LDS second.
// One is made by arithmetic that has src_lds_direct as a source, too.
// Cache control, prefetches, clocks and data exchange between lanes
// (ds_permute, ds_swizzle) access no memory.
#ifndef LUTHIER_MEMORYACCESS_H
#define LUTHIER_MEMORYACCESS_H

#include "luthier/Export.h"
#include <cstdint>

namespace llvm {
class MachineInstr;
}

namespace luthier {

/// By which kind of instruction memory is accessed.
enum class MemorySpace : uint32_t {
  None = 0,
  Global = 1,
  Flat = 2, ///< The address decides: global, LDS or scratch.
  Scratch = 3,
  LDS = 4,
  /// One access for the whole wave, whatever EXEC is.
  Scalar = 5,
  /// Global memory, or scratch, through a descriptor. The address is what the
  /// descriptor yields, also where its range check then drops the access.
  Buffer = 6,
};

enum class AccessFlags : uint32_t {
  Reads = 1,
  Writes = 2,
  Atomic = 4, ///< With both of the others.
};

/// What an access kind says, that of HookArgument::accessKind() and of
/// memoryAccessKind().
constexpr MemorySpace spaceOf(uint32_t AccessKind) {
  return static_cast<MemorySpace>(AccessKind >> 8 & 0xff);
}
constexpr bool hasFlag(uint32_t AccessKind, AccessFlags Flag) {
  return AccessKind & static_cast<uint32_t>(Flag);
}
constexpr bool readsMemory(uint32_t AccessKind) {
  return hasFlag(AccessKind, AccessFlags::Reads);
}
constexpr bool writesMemory(uint32_t AccessKind) {
  return hasFlag(AccessKind, AccessFlags::Writes);
}
constexpr bool isAtomic(uint32_t AccessKind) {
  return hasFlag(AccessKind, AccessFlags::Atomic);
}
/// \p Flags are bits of AccessFlags.
constexpr uint32_t accessKind(MemorySpace Space, uint32_t Flags) {
  return static_cast<uint32_t>(Space) << 8 | Flags;
}

/// The flags as they were spelled before version 0.2.
inline constexpr uint32_t ReadsMemory = 1, WritesMemory = 2, IsAtomic = 4;

/// How many accesses \p MI makes that hooks can be told about.
LUTHIER_API unsigned countMemoryAccesses(const llvm::MachineInstr &MI);

/// The kind of access \p Access of \p MI; 0 if it has no such access.
LUTHIER_API uint32_t memoryAccessKind(const llvm::MachineInstr &MI,
                                      unsigned Access = 0);

} // namespace luthier

#endif // LUTHIER_MEMORYACCESS_H
