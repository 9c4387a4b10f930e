// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of a tool in the tool's own code.
#ifndef LUTHIER_RUNTIME_OWNHOOKS_H
#define LUTHIER_RUNTIME_OWNHOOKS_H

#include "codeobject/CodeObject.h"
#include "hook/HookCompilers.h"
#include "hook/HookModule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>
#include <vector>

namespace luthier::runtime {

/// The device code of a tool's source file. For each hook, it has a kernel
/// without any code, which stands for the hook in host code.
struct OwnHooks {
  struct Hook {
    std::string Name, Kernel;
  };
  std::vector<Hook> All; ///< By name, at least one.
  std::shared_ptr<const CodeObject> Code;
  HookModule Module; ///< Variables have no addresses.
};

/// Instruments a kernel of \p Tool with some of its hooks, for nothing but what
/// LLVM and Luthier do only once in a process, and gives up when \p IsWanted.
/// Does nothing with a file that has intrinsics of the tool's own: the tool may
/// not be there yet that says what they are. \p ForKernels get the parsed
/// hooks.
void instrumentForNothing(const OwnHooks &Tool, HookCompilers &ForKernels,
                          llvm::function_ref<bool()> IsWanted);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_OWNHOOKS_H
