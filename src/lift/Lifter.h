// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes to machine IR.
#ifndef LUTHIER_LIFT_LIFTER_H
#define LUTHIER_LIFT_LIFTER_H

#include "codeobject/CodeObject.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"

namespace luthier {

/// Lifts \p Kernel of \p Object. Refuses with UnsupportedTarget,
/// UndecodableInstruction or MalformedCodeObject.
llvm::Expected<std::unique_ptr<LiftedRepresentation>>
liftKernel(std::shared_ptr<const CodeObject> Object, const KernelInfo &Kernel);

/// Prints the machine IR with each instruction's original address.
void printLifted(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_LIFT_LIFTER_H
