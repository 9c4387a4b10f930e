// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link step: written code, with a descriptor and metadata that ask for all
// that it takes, becomes a code object of its own or waits for the file that it
// will be part of.
#ifndef LUTHIER_REWRITE_EMIT_KERNELLINKER_H
#define LUTHIER_REWRITE_EMIT_KERNELLINKER_H

#include "rewrite/Result.h"
#include "rewrite/emit/KernelWriter.h"
#include "rewrite/emit/PlacedPayloads.h"

namespace luthier {

/// \p Placed are the payloads in \p Code. Fills in all of the result but the
/// report's times. Refuses with RegisterBudget or LinkFailed.
llvm::Expected<InstrumentedKernel>
linkKernel(const LiftedRepresentation &LR, const HookPlan &Hooks,
           KernelCode Code, llvm::ArrayRef<PlacedPayload> Placed,
           const InstrumenterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_KERNELLINKER_H
