// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmbedHooks.h"
#include "HostVariables.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

/// First in the pipeline, at every optimisation level: passes that know nothing
/// of luthier::writeExec must not have moved anything across it.
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "luthier", LLVM_VERSION_STRING,
          [](PassBuilder &PB) {
            PB.registerPipelineStartEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel) {
                  MPM.addPass(luthier::EmbedHooksPass());
                  MPM.addPass(luthier::HostVariablesPass());
                });
          }};
}
