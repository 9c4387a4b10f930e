// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a tool's hooks, as bitcode ready for instrumentation, into the device
// code object that clang is about to make of the same module. The form of the
// bitcode is the contract in src/hook/HookModule.h.
#ifndef LUTHIER_PLUGIN_EMBEDHOOKS_H
#define LUTHIER_PLUGIN_EMBEDHOOKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace luthier {

/// Of the code object.
inline constexpr llvm::StringLiteral HooksSection = ".llvmbc";

/// Acts on amdgcn modules that contain MARK_LUTHIER_DEVICE_MODULE's variable;
/// leaves all others untouched. What hooks may not do is reported as an error
/// of the compilation, and then nothing is embedded.
class EmbedHooksPass : public llvm::PassInfoMixin<EmbedHooksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  /// -O0 marks functions optnone, which must not keep this pass away.
  static bool isRequired() { return true; }
};

} // namespace luthier

#endif // LUTHIER_PLUGIN_EMBEDHOOKS_H
