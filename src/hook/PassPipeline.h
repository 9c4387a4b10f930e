// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of Luthier's passes in order, with the reason for the place of each.
// docs/exec-in-hooks.md tells what most of them are for.
#ifndef LUTHIER_HOOK_PASSPIPELINE_H
#define LUTHIER_HOOK_PASSPIPELINE_H

#include "hook/PassContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <vector>

namespace llvm {
class Pass;
namespace legacy {
class PassManagerBase;
} // namespace legacy
} // namespace llvm

namespace luthier {

using IRPasses = std::vector<std::unique_ptr<IRPass>>;

/// For payloads as createPayloads() makes them. Run once for all ABIs.
IRPasses preparationPasses();

/// From prepared payloads, with Luthier's intrinsics, to what LLVM has code
/// for. Run for each ABI.
IRPasses loweringPasses();

/// Runs \p Passes on \p F, one after the other, until one refuses.
llvm::Error runPasses(const IRPasses &Passes, llvm::Function &F,
                      PassContext &C);

/// One of the passes that LLVM's code generator runs between its own.
struct CodegenPass {
  enum Position {
    BeforeStructurizer, ///< IR; LLVM's last pass in front of it is done.
    AfterStructurizer,  ///< IR.
    AfterSelection,     ///< Machine code in SSA form, pseudos expanded.
    EndOfSSA,           ///< The last place where it is in SSA form.
    AtEnd,              ///< In front of the assembly printer.
  };
  llvm::StringLiteral Name; ///< As lists and luthier-pass call it.
  Position Where;
  llvm::Pass *(*Create)(PassContext &C);
};

/// In the order in which they run.
llvm::ArrayRef<CodegenPass> codegenPasses();

/// Adds LLVM's code generator to \p PM, with all of those in their places.
/// \p Behind may return a pass to be run right behind one of them. Refuses
/// processors that LLVM cannot select instructions for.
llvm::Error addCodegen(
    llvm::legacy::PassManagerBase &PM, PassContext &C,
    llvm::function_ref<llvm::Pass *(const CodegenPass &)> Behind = nullptr);

} // namespace luthier

#endif // LUTHIER_HOOK_PASSPIPELINE_H
