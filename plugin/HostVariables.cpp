// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostVariables.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {
namespace {

/// What clang has the runtime know of: its second argument is the host's
/// variable. Managed variables have another call.
SmallPtrSet<const Value *, 8> registeredVariables(const Module &M) {
  SmallPtrSet<const Value *, 8> Result;
  if (const Function *Register = M.getFunction("__hipRegisterVar"))
    for (const User *U : Register->users())
      if (const auto *Call = dyn_cast<CallInst>(U))
        Result.insert(Call->getArgOperand(1)->stripPointerCasts());
  return Result;
}

void warn(const Instruction &I, const Value &Variable) {
  const Function &F = *I.getFunction();
  const bool Writes = isa<StoreInst>(I);
  const std::string Name = demangle(Variable.getName());
  const std::string Text =
      "host code " + std::string(Writes ? "writes" : "reads") +
      " __device__ variable '" + Name + "' in '" + demangle(F.getName()) +
      "', but has only a variable of its own of that name: use luthier::" +
      (Writes ? "writeVariable()" : "readVariable()") +
      ", or make it a managed variable";
  DiagnosticLocation Where(I.getDebugLoc());
  if (!Where.isValid())
    Where = DiagnosticLocation(F.getSubprogram());
  // Without debug information, clang finds the function's line by its name.
  F.getContext().diagnose(
      DiagnosticInfoUnsupported(F, Text, Where, DS_Warning));
}

} // namespace

PreservedAnalyses HostVariablesPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isAMDGPU())
    return PreservedAnalyses::all();
  const SmallPtrSet<const Value *, 8> Variables = registeredVariables(M);
  if (Variables.empty())
    return PreservedAnalyses::all();
  for (const Function &F : M) {
    SmallPtrSet<const Value *, 4> Told;
    for (const Instruction &I : instructions(F))
      if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
        const Value *Variable = getUnderlyingObject(Pointer);
        if (Variables.contains(Variable) && Told.insert(Variable).second)
          warn(I, *Variable);
      }
  }
  return PreservedAnalyses::all();
}

} // namespace luthier
