// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's pipeline behind one call: a lifted kernel and a task in, a
// loadable code object out. Knows nothing of HSA.
#ifndef LUTHIER_REWRITE_INSTRUMENTER_H
#define LUTHIER_REWRITE_INSTRUMENTER_H

#include "hook/HookModule.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"
#include "rewrite/Options.h"
#include "rewrite/Result.h"
#include "rewrite/selftest/SelfTest.h"

namespace luthier {

/// Instruments \p LR as \p Task says; \p LR's instructions stay as they are.
/// What the task asks for of the self-test is added to \p SelfTest.
llvm::Expected<InstrumentedKernel>
instrumentKernel(LiftedRepresentation &LR, const InstrumentationTask &Task,
                 HookResolver Resolve, const InstrumenterOptions &Options,
                 SelfTestOptions SelfTest = {});

} // namespace luthier

#endif // LUTHIER_REWRITE_INSTRUMENTER_H
