// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool has many hooks, and a kernel takes few of them.
#ifndef LUTHIER_HOOK_IR_HOOKCLONE_H
#define LUTHIER_HOOK_IR_HOOKCLONE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace luthier {

/// A copy of \p M with all variables, and with the code of those functions
/// alone that \p Hooks reach; the others are only declared.
std::unique_ptr<llvm::Module> cloneWith(llvm::ArrayRef<llvm::StringRef> Hooks,
                                        const llvm::Module &M);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_HOOKCLONE_H
