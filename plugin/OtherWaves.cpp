// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OtherWaves.h"
#include "EmbedHooks.h"
#include "Variables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <cstdlib>

using namespace llvm;

namespace luthier {
namespace {

/// Names the files, up to the processor: one command compiles for all that the
/// tool is for, and not all of them have two sizes.
constexpr const char *Setting = "LUTHIER_WAVE64_HOOKS";

/// Finds in \p M what a variable of the other compilation is there.
class VariableImport : public ValueMaterializer {
public:
  explicit VariableImport(Module &M) : M(M) {}

  Expected<GlobalVariable *> find(GlobalVariable &Theirs);
  Value *materialize(Value *V) override;

private:
  void unite(GlobalVariable &Ours, const GlobalVariable &Theirs);
  GlobalVariable *ours(GlobalVariable &Theirs);
  GlobalVariable *copy(const GlobalVariable &Theirs);

  Module &M;
  ValueToValueMapTy Map;
  SmallVector<std::pair<GlobalVariable *, const GlobalVariable *>, 4> Copies;
  const GlobalVariable *OfAnotherSize = nullptr;
};

/// Put there for hooks by exportConstants(): each compilation has its own, and
/// they may differ although their names do not.
bool isExportedConstant(const GlobalVariable &G) {
  return G.isConstant() && !G.isExternallyInitialized() &&
         G.getName().starts_with(ExportedPrefix);
}

GlobalVariable *VariableImport::copy(const GlobalVariable &Theirs) {
  // With a name like it if there is one already.
  auto *Copy = new GlobalVariable(
      M, Theirs.getValueType(), Theirs.isConstant(),
      GlobalValue::ExternalLinkage, nullptr, Theirs.getName(), nullptr,
      Theirs.getThreadLocalMode(), Theirs.getAddressSpace());
  Copy->setAlignment(Theirs.getAlign());
  Copy->setExternallyInitialized(Theirs.isExternallyInitialized());
  Copies.push_back({Copy, &Theirs});
  return Copy;
}

/// One variable for both compilations.
void VariableImport::unite(GlobalVariable &Ours, const GlobalVariable &Theirs) {
  const DataLayout &DL = M.getDataLayout();
  if (DL.getTypeAllocSize(Ours.getValueType()) !=
      DL.getTypeAllocSize(Theirs.getValueType()))
    OfAnotherSize = &Ours;
  Ours.setAlignment(
      std::max(Ours.getAlign().valueOrOne(), Theirs.getAlign().valueOrOne()));
}

GlobalVariable *VariableImport::ours(GlobalVariable &Theirs) {
  GlobalVariable *Same = M.getNamedGlobal(Theirs.getName());
  if (!Same || isExportedConstant(Theirs))
    return copy(Theirs);
  unite(*Same, Theirs);
  // Of a managed variable, that is the cell that leads to it.
  const std::string Managed = (Theirs.getName() + ".managed").str();
  GlobalVariable *Storage = M.getNamedGlobal(Managed);
  if (const GlobalVariable *Other = Theirs.getParent()->getNamedGlobal(Managed);
      Storage && Other)
    unite(*Storage, *Other);
  keepVisible(*Same);
  return Same;
}

Value *VariableImport::materialize(Value *V) {
  if (auto *F = dyn_cast<Function>(V)) {
    // Not called through: those have a variable that stands for them.
    Function *Same = M.getFunction(F->getName());
    return Same ? Same : Constant::getNullValue(F->getType());
  }
  auto *G = dyn_cast<GlobalVariable>(V);
  return G ? ours(*G) : nullptr;
}

Expected<GlobalVariable *> VariableImport::find(GlobalVariable &Theirs) {
  auto *Ours =
      cast<GlobalVariable>(MapValue(&Theirs, Map, RF_None, nullptr, this));
  while (!Copies.empty()) {
    auto [Copy, Original] = Copies.pop_back_val();
    Copy->setInitializer(
        MapValue(Original->getInitializer(), Map, RF_None, nullptr, this));
    keepVisible(*Copy);
  }
  if (OfAnotherSize)
    return createStringError("variable " + OfAnotherSize->getName() +
                             " must have one size for waves of 32 and of 64 "
                             "lanes (see ONE_WAVE_SIZE of luthier_add_tool)");
  return Ours;
}

Expected<std::unique_ptr<Module>> parseFile(StringRef Path, LLVMContext &C) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    return createStringError(File.getError(),
                             Path + ": " + File.getError().message());
  return parseBitcodeFile((*File)->getMemBufferRef(), C);
}

/// As embed() has put them there.
Expected<std::unique_ptr<Module>> hooksIn(Module &Compiled) {
  for (const GlobalVariable &G : Compiled.globals())
    if (G.getSection() == HooksSection && G.hasInitializer())
      return parseBitcodeFile(
          {cast<ConstantDataSequential>(G.getInitializer())->getRawDataValues(),
           Compiled.getModuleIdentifier()},
          Compiled.getContext());
  return createStringError(Compiled.getModuleIdentifier() + " has no hooks");
}

bool isVariable(const GlobalVariable &G) {
  return G.getAddressSpace() != AMDGPUAS::LOCAL_ADDRESS &&
         !G.getName().starts_with(CUIDPrefix);
}

bool isSameSource(const Module &M, const Module &Compiled) {
  return any_of(Compiled.globals(), [&](const GlobalVariable &G) {
    return G.getName().starts_with(CUIDPrefix) && M.getNamedGlobal(G.getName());
  });
}

} // namespace

Expected<std::unique_ptr<Module>> hooksOfOtherWaves(Module &M,
                                                    StringRef Processor) {
  const char *Prefix = std::getenv(Setting);
  if (!Prefix)
    return nullptr;
  const std::string Path =
      (Twine(Prefix) + "." + Processor + ".wave64.bc").str();
  if (!sys::fs::exists(Path))
    return nullptr;
  auto Compiled = parseFile(Path, M.getContext());
  if (!Compiled)
    return Compiled.takeError();
  auto Hooks = hooksIn(**Compiled);
  if (!Hooks)
    return Hooks.takeError();
  if (!isSameSource(M, **Compiled))
    return createStringError(Path + " is of another source (-cuid)");
  VariableImport Import(M);
  SmallVector<std::pair<GlobalVariable *, StringRef>> Names;
  for (GlobalVariable &G : (*Hooks)->globals()) {
    GlobalVariable *Theirs = (*Compiled)->getNamedGlobal(G.getName());
    if (!isVariable(G) || !Theirs || Theirs->isDeclaration())
      continue;
    Expected<GlobalVariable *> Ours = Import.find(*Theirs);
    if (!Ours)
      return Ours.takeError();
    Names.push_back({&G, (*Ours)->getName()});
  }
  // A name may be another variable's until that has its own.
  for (auto &[G, Name] : Names)
    G->setName("");
  for (auto &[G, Name] : Names) {
    G->setName(Name);
    if (G->getName() != Name)
      return createStringError("two variables would be " + Name);
  }
  return Hooks;
}

} // namespace luthier
