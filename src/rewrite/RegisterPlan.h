// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers a kernel uses, and which ones hooks may therefore have.
#ifndef LUTHIER_REWRITE_REGISTERPLAN_H
#define LUTHIER_REWRITE_REGISTERPLAN_H

#include "analysis/RegisterUse.h"
#include "codeobject/CodeObject.h"
#include "hook/Payload.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/Support/Error.h"

namespace luthier {

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
