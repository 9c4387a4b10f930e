// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns where host code of a tool uses a variable that devices have.
#ifndef LUTHIER_PLUGIN_HOSTVARIABLES_H
#define LUTHIER_PLUGIN_HOSTVARIABLES_H

#include "llvm/IR/PassManager.h"

namespace luthier {

/// Clang gives the host a variable of its own for each __device__ and
/// __constant__ variable, whose address stands for it in calls such as
/// readVariable(). Nothing ever copies the device's value there: code that
/// loads or stores it is warned about. Runs twice: on code as it was written,
/// and at the end of the pipeline, where functions that were given a reference
/// (llvm::format(), std::max()) are inlined, for variables that the first run
/// has not warned of. Acts on modules for the host; managed variables are
/// memory that the host may use.
class HostVariablesPass : public llvm::PassInfoMixin<HostVariablesPass> {
public:
  enum class Run { First, Last };
  explicit HostVariablesPass(Run Which) : IsLast(Which == Run::Last) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool IsLast;
};

} // namespace luthier

#endif // LUTHIER_PLUGIN_HOSTVARIABLES_H
