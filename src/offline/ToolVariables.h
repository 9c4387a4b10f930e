// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool's variables inside of an instrumented file.
#ifndef LUTHIER_OFFLINE_TOOLVARIABLES_H
#define LUTHIER_OFFLINE_TOOLVARIABLES_H

#include "codeobject/CodeObjectExtender.h"
#include "llvm/ADT/StringSet.h"

namespace luthier::offline {

/// Adds what \p Modules, code objects of a tool, define to \p New, which goes
/// with \p Original and already has all its code. Weak variables, as headers
/// have them, come only if they are among those that hooks have \p Used. The
/// cell of a managed variable leads to the variable itself. Refuses with
/// UnsupportedHook variables whose initial values are addresses.
llvm::Error addVariables(llvm::ArrayRef<const CodeObject *> Modules,
                         const llvm::StringSet<> &Used,
                         const CodeObject &Original, CodeObjectExtension &New);

} // namespace luthier::offline

#endif // LUTHIER_OFFLINE_TOOLVARIABLES_H
