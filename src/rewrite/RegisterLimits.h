// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers an instrumented kernel may have.
#ifndef LUTHIER_REWRITE_REGISTERLIMITS_H
#define LUTHIER_REWRITE_REGISTERLIMITS_H

#include "codeobject/CodeObject.h"
#include "rewrite/Instrumenter.h"

namespace luthier {

struct RegisterLimits {
  unsigned SGPRs = 0;
  unsigned VGPRs = 0;
  /// With the VGPRs where both share a file.
  unsigned VectorTotal = 0;
};

/// Under \p Policy, of a kernel that uses \p AGPRs accumulation registers.
/// Every workgroup that the kernel allows stays launchable: all its waves are
/// on one compute unit at once.
RegisterLimits registerLimits(const KernelInfo &Kernel, unsigned AGPRs,
                              const RegisterFileTraits &Traits,
                              RegisterPolicy Policy);

} // namespace luthier

#endif // LUTHIER_REWRITE_REGISTERLIMITS_H
