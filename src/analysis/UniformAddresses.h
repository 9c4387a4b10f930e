// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses whose lanes cannot have different addresses.
#ifndef LUTHIER_ANALYSIS_UNIFORMADDRESSES_H
#define LUTHIER_ANALYSIS_UNIFORMADDRESSES_H

#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseSet.h"

namespace luthier {

/// Instructions each of whose accesses has one address for all active lanes,
/// whatever the kernel is given: by scalars, or by vector registers that hold
/// what integer arithmetic makes of scalars in the same block, or in the
/// kernel's first one. Others may have such addresses, too. Buffers are never
/// among them: their descriptors can spread one address over the lanes.
llvm::DenseSet<const llvm::MachineInstr *>
uniformAddresses(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_UNIFORMADDRESSES_H
