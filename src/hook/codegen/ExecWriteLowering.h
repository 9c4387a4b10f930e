// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the placeholders of luthier::writeExec into definitions of EXEC whose
// order holds through register allocation.
#ifndef LUTHIER_HOOK_CODEGEN_EXECWRITELOWERING_H
#define LUTHIER_HOOK_CODEGEN_EXECWRITELOWERING_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// Function attribute that the pass sets where EXEC ends as it was, so that the
/// code around need not save it.
inline constexpr const char *RestoresExecAttribute = "luthier-restores-exec";

/// A machine pass. Expects code in SSA form, in which each writeExec is an
/// INLINEASM_BR at the end of a block, and as many of them as IR had. Leaves a
/// definition of EXEC in the place of each. LLVM takes vector arithmetic to be
/// independent of EXEC and shares or hoists it across the write; the lanes that
/// the write switches on would then miss the value. So each value of lanes that
/// crosses a write is computed again after it (ExecRematerializer.h); what a
/// hook has from loads or registers stays. Where that cannot be done, it is an
/// error.
llvm::Pass *createExecWritePass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_EXECWRITELOWERING_H
