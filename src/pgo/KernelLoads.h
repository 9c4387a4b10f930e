// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loads of a kernel, and whether the lanes of its waves load from one
// address.
#ifndef LUTHIER_PGO_KERNELLOADS_H
#define LUTHIER_PGO_KERNELLOADS_H

#include "luthier/LiftedRepresentation.h"
#include "luthier/MemoryAccess.h"
#include "pgo/Execution.h"
#include "pgo/Uniformity.h"
#include <memory>
#include <vector>

namespace luthier::pgo {

struct CountedLoad {
  uint64_t Address = 0; ///< Of the instruction, as linked.
  std::string Instruction;
  MemorySpace Space = MemorySpace::None;
  std::optional<SourceLine> Source;
  /// Lanes cannot have different addresses (analysis/UniformAddresses.h).
  bool IsUniform = false;
  uint64_t Waves = 0; ///< That executed it, also without active lanes.
  std::optional<LoadCount> Count; ///< Nothing where nobody looked at addresses.

  Uniformity classify() const;
};

/// Of reached code, in its order; atomic operations are no loads. Fails where
/// the kernel cannot be lifted.
llvm::Expected<std::vector<CountedLoad>>
loadsOf(const std::shared_ptr<const CodeObject> &Object,
        const KernelInfo &Kernel, const CodeCounts &Executed,
        const LoadCounts &Loads);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_KERNELLOADS_H
