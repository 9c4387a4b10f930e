// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/KeptNumberCalls.h"
#include "hook/ir/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace luthier {

std::optional<KeptNumber> keptNumberOf(const CallBase &Call) {
  if (intrinsicName(Call) != KeptIntrinsic)
    return std::nullopt;
  return KeptNumber(cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue());
}

/// LLVM does not know that nobody misses such a call.
static void eraseUnusedFirstWorkItems(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->use_empty() &&
        intrinsicName(*Call) == FirstWorkItemIntrinsic)
      Call->eraseFromParent();
}

Error KeptNumberPass::run(Function &F, PassContext &C) {
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && keptNumberOf(*Call))
      Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    Value *Computed = Call->getArgOperand(1);
    const KeptNumber Number = *keptNumberOf(*Call);
    // What waves keep is the first tool's.
    const bool IsAnothers =
        Number == KeptNumber::GroupMemory && C.ABI.Module.LaunchArguments;
    if (C.ABI.Numbers.has(Number) && !IsAnothers) {
      Call->setArgOperand(1, PoisonValue::get(Computed->getType()));
      RecursivelyDeleteTriviallyDeadInstructions(Computed);
    } else {
      Call->replaceAllUsesWith(Computed);
      Call->eraseFromParent();
    }
  }
  eraseUnusedFirstWorkItems(F);
  return Error::success();
}

} // namespace luthier
