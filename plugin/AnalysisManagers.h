// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyses of a module apart from those of the compilation in progress.
#ifndef LUTHIER_PLUGIN_ANALYSISMANAGERS_H
#define LUTHIER_PLUGIN_ANALYSISMANAGERS_H

#include "llvm/Passes/PassBuilder.h"

namespace luthier {

struct AnalysisManagers {
  llvm::PassBuilder PB;
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;

  explicit AnalysisManagers(llvm::TargetMachine *TM = nullptr) : PB(TM) {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

} // namespace luthier

#endif // LUTHIER_PLUGIN_ANALYSISMANAGERS_H
