// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers a kernel uses, and which ones hooks may therefore have.
#ifndef LUTHIER_REWRITE_REGISTERPLAN_H
#define LUTHIER_REWRITE_REGISTERPLAN_H

#include "codeobject/CodeObject.h"
#include "hook/Payload.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/Support/Error.h"

namespace luthier {

/// One past the highest register of each file that a kernel may touch.
struct RegisterUse {
  unsigned SGPRs = 0, VGPRs = 0, AGPRs = 0;
};

/// What the code names, or the whole allocation of a file that it also reaches
/// through an index. Registers that the hardware fills at launch count.
RegisterUse registerUse(const LiftedRepresentation &LR);

/// The frame above the registers in use, with room for the given numbers of
/// argument dwords. Its limits keep every workgroup that the kernel allows
/// launchable. Refuses with RegisterBudget if not even the frame fits.
llvm::Expected<PayloadFrame> planFrame(const LiftedRepresentation &LR,
                                       const RegisterUse &Use,
                                       unsigned ArgumentSGPRs,
                                       unsigned ArgumentVGPRs);

/// Brings descriptor and metadata up to what the instrumented code uses.
void growRegisters(const RegisterUse &Use, const PayloadFrame &Frame,
                   llvm::ArrayRef<Payload> Payloads,
                   const RegisterFileTraits &Traits,
                   KernelDescriptor &Descriptor, KernelMetadata &Metadata);

} // namespace luthier

#endif // LUTHIER_REWRITE_REGISTERPLAN_H
