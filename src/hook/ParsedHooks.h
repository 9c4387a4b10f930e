// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool's bitcode as LLVM has it, ready to be compiled.
#ifndef LUTHIER_HOOK_PARSEDHOOKS_H
#define LUTHIER_HOOK_PARSEDHOOKS_H

#include "amdgpu/CompileErrors.h"
#include "hook/HookModule.h"
#include "hook/PassContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace luthier {

/// LLVM's code generator, and what its passes work with. It may run for one
/// module after the other: setting it up takes a third of the time of a run,
/// and the first run gets memory from the system that later ones use again.
struct CodeGenerator {
  PassContext C;
  llvm::legacy::PassManager Passes;
};

/// All about bitcode that does not depend on where its variables are. Does not
/// move.
struct ParsedHooks {
  llvm::LLVMContext Context;
  amdgpu::CompileErrors Errors{Context};
  amdgpu::TargetMachineHandle TM;
  std::unique_ptr<llvm::Module> M;      ///< As parsed.
  std::unique_ptr<CodeGenerator> Ready; ///< For the next run; may be null.
};

/// What was compiled for waves of \p WaveSize lanes, or else what there is.
/// Refuses with ToolWithoutBitcode.
llvm::Expected<std::unique_ptr<ParsedHooks>>
parseHooks(const amdgpu::MCTarget &Target, const HookModule &Hooks,
           unsigned WaveSize);

} // namespace luthier

#endif // LUTHIER_HOOK_PARSEDHOOKS_H
