// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions to wave counters in scalar registers, literals of call sites, and
// addresses of variables: the placeholders that become instructions as soon as
// there are any, so that LLVM folds constants and literals into them. EXEC
// writes stay and are marked as what they are. Where constraints of the
// assembly say that instead, LLVM looks each one up by its name among all
// registers, several times for each write and half a millisecond each time.
#ifndef LUTHIER_HOOK_CODEGEN_EARLYPLACEHOLDERS_H
#define LUTHIER_HOOK_CODEGEN_EARLYPLACEHOLDERS_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass. Expects selected code in SSA form. Leaves
///   $s90 = S_ADD_U32 $s90, <low half>
///   $s91 = S_ADDC_U32 $s91, <high half>
/// or one S_ADD_U64 for an addition, and S_MOV_B32 of a symbol for a literal or
/// for half of an address, and
///   INLINEASM_BR &"luthier::writeExec" [sideeffect] [mayload] [maystore], ...,
///   implicit-def $exec
/// for an EXEC write.
llvm::Pass *createEarlyPlaceholderPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_EARLYPLACEHOLDERS_H
