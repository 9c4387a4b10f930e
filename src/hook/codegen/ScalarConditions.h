// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts s_cmp and s_cselect in place of the placeholders of
// ir/ScalarPlaceholders.h, right after instruction selection.
#ifndef LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H
#define LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H

namespace llvm {
class MachineFunctionPass;
} // namespace llvm

namespace luthier {

/// A machine pass, in SSA form. First it looks at what operations of the wave
/// take: an error if a vector instruction has part in it, or a mask of lanes,
/// since both depend on EXEC.
llvm::MachineFunctionPass *createScalarConditionPass();

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H
