// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Annotations.h"
#include "HookChecks.h"
#include "Recursion.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

/// Clang lists annotated functions in an array of {function, text, file, line,
/// arguments}.
AnnotatedFunctions findAnnotatedFunctions(Module &M) {
  AnnotatedFunctions Result;
  GlobalVariable *List = M.getGlobalVariable("llvm.global.annotations");
  auto *Entries =
      List ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr;
  if (!Entries)
    return Result;
  for (Value *Operand : Entries->operands()) {
    auto *Entry = cast<ConstantStruct>(Operand);
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    StringRef Text;
    if (!F || !getConstantStringInfo(Entry->getOperand(1), Text))
      continue;
    if (Text == "luthier_hook")
      Result.Hooks.insert(F);
    else if (Text == "luthier_intrinsic")
      Result.Intrinsics.insert(F);
    else if (Text == "luthier_scalar_intrinsic") {
      Result.Intrinsics.insert(F);
      F->addFnAttr(ScalarResultAttribute);
    } else if (Text.consume_front(MaxDepthAnnotation) && !setMaxDepth(*F, Text))
      reportError(*F, "LUTHIER_MAX_DEPTH needs a number of calls, not " + Text);
  }
  return Result;
}

} // namespace luthier
