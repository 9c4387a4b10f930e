// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks become payloads: what they need, and their compilation for registers
// that have to be chosen before their code is known.
#ifndef LUTHIER_REWRITE_PLAN_PAYLOADCOMPILATION_H
#define LUTHIER_REWRITE_PLAN_PAYLOADCOMPILATION_H

#include "amdgpu/MachineEncoder.h"
#include "analysis/SharedFacts.h"
#include "rewrite/Options.h"
#include "rewrite/plan/HookPlan.h"

namespace luthier {

/// The payloads that \p Variants of \p Task become, and a plan for each of
/// their call sites. Refuses with RegisterBudget or InstrumentationStack if
/// none of the fallbacks goes far enough, and with whatever else stands in the
/// way.
///
/// This is the expensive step. Registers are chosen for a fallback, the code
/// generator runs for all variants, and only their code shows what each call
/// site has to save. If there is too little of anything, the next fallback
/// gives more at a higher price (RegisterFallback), and all of that is done
/// again.
llvm::Expected<HookPlan>
compileWithFallbacks(const LiftedRepresentation &LR, const RegisterUse &Use,
                     ResolvedTask &Task, VariantPlan Variants,
                     const InstrumenterOptions &Options,
                     amdgpu::MachineEncoder &Encoder, SharedFacts &Facts);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_PAYLOADCOMPILATION_H
