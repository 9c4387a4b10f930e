// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a kernel can be instrumented at all, before anything is planned.
#ifndef LUTHIER_REWRITE_RESOLVE_KERNELCHECK_H
#define LUTHIER_REWRITE_RESOLVE_KERNELCHECK_H

#include "analysis/RegisterUse.h"
#include "llvm/Support/Error.h"

namespace luthier {

/// Refuses what this engine cannot instrument, with the reason. \p Edited is
/// editedRegisterUse().
llvm::Error checkKernel(const LiftedRepresentation &LR,
                        const RegisterUse &Edited);

} // namespace luthier

#endif // LUTHIER_REWRITE_RESOLVE_KERNELCHECK_H
