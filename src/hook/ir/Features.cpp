// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/Features.h"
#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace luthier {

Error FeaturePass::run(Function &F, PassContext &C) {
  std::string Features = C.TM.getTargetFeatureString().str();
  if (!Features.empty())
    Features += ',';
  Features += "+enable-flat-scratch,-real-true16,";
  Features += C.ABI.WaveSize == 32 ? "-wavefrontsize64,+wavefrontsize32"
                                   : "-wavefrontsize32,+wavefrontsize64";
  F.addFnAttr("target-features", Features);
  return Error::success();
}

} // namespace luthier
