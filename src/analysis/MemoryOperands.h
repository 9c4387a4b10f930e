// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a memory instruction accesses, and how its address is made.
#ifndef LUTHIER_ANALYSIS_MEMORYOPERANDS_H
#define LUTHIER_ANALYSIS_MEMORYOPERANDS_H

#include "analysis/ArgumentValue.h"
#include "luthier/MemoryAccess.h"
#include "llvm/Support/Error.h"

namespace llvm {
class MachineInstr;
}

namespace luthier {

struct MemoryAccess {
  MemorySpace Space;
  uint32_t Flags;
  ArgumentValue Size;
  ArgumentValue Address;

  uint32_t kind() const { return accessKind(Space, Flags); }
};

/// In the order of MemoryAccess.h; none for instructions that access no memory.
/// Refuses with HookArguments what cannot be described: global data share,
/// stacks for ray tracing.
llvm::Expected<llvm::SmallVector<MemoryAccess, 2>>
memoryAccesses(const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_MEMORYOPERANDS_H
