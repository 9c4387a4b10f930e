// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Variables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace luthier {
namespace {

/// Shared memory belongs to a workgroup of the application, not to the tool.
bool isShared(const GlobalVariable &G) {
  return G.getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS;
}

void makeVisible(GlobalVariable &G) {
  // Protected: other code objects see it, and none can replace it.
  G.setVisibility(GlobalValue::ProtectedVisibility);
  G.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
}

void declare(GlobalVariable &G) {
  G.setInitializer(nullptr);
  G.setComdat(nullptr);
  G.setLinkage(GlobalValue::ExternalLinkage);
  // lld refuses imports of any other visibility.
  G.setVisibility(GlobalValue::DefaultVisibility);
  G.setDSOLocal(false);
}

} // namespace

std::string exportedName(Module &M, StringRef Name) {
  for (const GlobalVariable &G : M.globals())
    if (G.getName().starts_with(CUIDPrefix))
      return (ExportedPrefix + Name.ltrim('.') + "." +
              G.getName().drop_front(CUIDPrefix.size()))
          .str();
  return (ExportedPrefix + Name.ltrim('.') + getUniqueModuleId(&M)).str();
}

bool isPlainConstant(const GlobalVariable &G) {
  return G.isConstant() && G.hasInitializer() && !G.isExternallyInitialized() &&
         (G.hasLocalLinkage() || G.hasLinkOnceODRLinkage());
}

const GlobalVariable *variableAt(const Value *Address) {
  Address = getUnderlyingObject(Address);
  // A managed variable's address is in a cell of its name.
  if (auto *Load = dyn_cast<LoadInst>(Address))
    Address = getUnderlyingObject(Load->getPointerOperand());
  return dyn_cast<GlobalVariable>(Address);
}

void keepVisible(GlobalVariable &G) {
  makeVisible(G);
  appendToCompilerUsed(*G.getParent(), {&G});
}

void exportVariables(Module &M, const SetVector<GlobalVariable *> &Variables) {
  SmallVector<GlobalValue *, 8> Kept;
  for (GlobalVariable *G : Variables) {
    if (G->isDeclaration() || isShared(*G) || isPlainConstant(*G))
      continue;
    if (G->hasLocalLinkage()) {
      G->setName(exportedName(M, G->getName()));
      G->setLinkage(GlobalValue::ExternalLinkage);
    }
    makeVisible(*G);
    Kept.push_back(G);
  }
  appendToCompilerUsed(M, Kept);
}

void markManagedCells(Module &Clone, const Module &M) {
  for (GlobalVariable &G : Clone.globals())
    if (M.getNamedGlobal((G.getName() + ".managed").str()))
      for (User *U : G.users())
        if (auto *Load = dyn_cast<LoadInst>(U))
          Load->setMetadata(LLVMContext::MD_invariant_load,
                            MDNode::get(Clone.getContext(), {}));
}

void detachVariables(Module &Clone) {
  for (GlobalVariable &G : Clone.globals()) {
    if (G.isDeclaration())
      continue;
    if (isPlainConstant(G) && !isShared(G)) {
      G.setLinkage(GlobalValue::InternalLinkage);
      G.setVisibility(GlobalValue::DefaultVisibility);
      G.setComdat(nullptr);
    } else {
      declare(G);
    }
  }
}

void exportConstants(Module &Clone, Module &M) {
  ValueToValueMapTy InM;
  SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 8> Exported;
  for (GlobalVariable &G : Clone.globals()) {
    if (G.isDeclaration()) {
      if (GlobalVariable *Same = M.getNamedGlobal(G.getName()))
        InM[&G] = Same;
      continue;
    }
    auto *Copy = new GlobalVariable(
        M, G.getValueType(), G.isConstant(), GlobalValue::ExternalLinkage,
        nullptr, exportedName(M, G.getName()), nullptr, G.getThreadLocalMode(),
        G.getAddressSpace());
    Copy->setAlignment(G.getAlign());
    makeVisible(*Copy);
    InM[&G] = Copy;
    Exported.push_back({&G, Copy});
  }
  for (const Function &F : Clone)
    if (Function *Same = M.getFunction(F.getName()))
      InM[&F] = Same;
  SmallVector<GlobalValue *, 8> Kept;
  for (auto [G, Copy] : Exported) {
    Copy->setInitializer(MapValue(G->getInitializer(), InM));
    Kept.push_back(Copy);
  }
  appendToCompilerUsed(M, Kept);
  for (auto [G, Copy] : Exported) {
    declare(*G);
    G->setName(Copy->getName());
  }
}

} // namespace luthier
