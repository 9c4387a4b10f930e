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
            using luthier::HostVariablesPass;
            PB.registerPipelineStartEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel) {
                  MPM.addPass(luthier::EmbedHooksPass());
                  MPM.addPass(HostVariablesPass(HostVariablesPass::Run::First));
                });
            PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM,
                                                  OptimizationLevel,
                                                  ThinOrFullLTOPhase) {
              MPM.addPass(HostVariablesPass(HostVariablesPass::Run::Last));
            });
          }};
}
