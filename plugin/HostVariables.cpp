// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostVariables.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
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

struct Access {
  const Value *Pointer;
  bool Writes;
};

SmallVector<Access, 2> accessesOf(const Instruction &I) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return {{Copy->getRawDest(), true}, {Copy->getRawSource(), false}};
  if (const auto *Set = dyn_cast<MemSetInst>(&I))
    return {{Set->getRawDest(), true}};
  if (const Value *Pointer = getLoadStorePointerOperand(&I))
    return {{Pointer, isa<StoreInst>(I)}};
  return {};
}

/// Variables that an earlier run has warned of.
constexpr StringLiteral ToldName = "luthier.told_host_variables";

SmallPtrSet<const Value *, 4> toldBefore(const Module &M) {
  SmallPtrSet<const Value *, 4> Result;
  if (const NamedMDNode *All = M.getNamedMetadata(ToldName))
    for (const MDNode *Each : All->operands())
      if (const auto *Of =
              dyn_cast_or_null<ValueAsMetadata>(Each->getOperand(0)))
        Result.insert(Of->getValue());
  return Result;
}

void warn(const Instruction &I, const Value &Variable, bool Writes) {
  const Function &F = *I.getFunction();
  const std::string Name = demangle(Variable.getName());
  const std::string Text =
      "host code " + std::string(Writes ? "writes" : "reads") +
      " __device__ variable '" + Name + "' in '" + demangle(F.getName()) +
      "', but has only a variable of its own of that name: use luthier::" +
      (Writes ? "writeVariable()" : "readVariable()") +
      ", or make it a managed variable";
  // Of what is inlined, where the tool has called it.
  const DILocation *Line = I.getDebugLoc();
  while (Line && Line->getInlinedAt())
    Line = Line->getInlinedAt();
  DiagnosticLocation Where{DebugLoc(Line)};
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
  const SmallPtrSet<const Value *, 4> Before = toldBefore(M);
  NamedMDNode *Told = M.getOrInsertNamedMetadata(ToldName);
  for (const Function &F : M) {
    SmallPtrSet<const Value *, 4> ToldHere;
    for (const Instruction &I : instructions(F))
      for (auto [Pointer, Writes] : accessesOf(I)) {
        const Value *Variable = getUnderlyingObject(Pointer);
        if (!Variables.contains(Variable) || Before.contains(Variable) ||
            !ToldHere.insert(Variable).second)
          continue;
        warn(I, *Variable, Writes);
        Metadata *Of = ValueAsMetadata::get(const_cast<Value *>(Variable));
        Told->addOperand(MDNode::get(M.getContext(), Of));
      }
  }
  if (IsLast)
    Told->eraseFromParent();
  return PreservedAnalyses::all();
}

} // namespace luthier
