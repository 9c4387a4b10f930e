// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/HookBitcode.h"
#include "amdgpu/ObjectEmitter.h"
#include "codeobject/Linker.h"
#include "codeobject/TargetID.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral HookAttribute = "luthier_hook";
/// Of the code objects that Luthier makes itself: what ROCm 5.2 reads.
constexpr unsigned CodeObjectVersion = 400;

using Modules = std::vector<std::unique_ptr<Module>>;

/// Those compiled for each wave size come one behind the other.
Expected<Modules> parse(ArrayRef<uint8_t> Bytes, LLVMContext &Context) {
  auto List = getBitcodeModuleList({toStringRef(Bytes), "hooks"});
  if (!List)
    return List.takeError();
  Modules Result;
  for (BitcodeModule &Each : *List) {
    auto M = Each.parseModule(Context);
    if (!M)
      return M.takeError();
    Result.push_back(std::move(*M));
  }
  return Result;
}

bool isCell(const GlobalVariable &G) {
  return any_of(G.users(), [](const User *U) {
    auto *Load = dyn_cast<LoadInst>(U);
    return Load && Load->getType()->isPointerTy() &&
           Load->hasMetadata(LLVMContext::MD_invariant_load);
  });
}

bool isVariable(const GlobalVariable &G) {
  return G.isDeclaration() && G.getAddressSpace() != AMDGPUAS::LOCAL_ADDRESS &&
         !G.getName().starts_with("llvm.") &&
         !G.getName().starts_with("__hip_cuid_");
}

BitcodeContents contentsOf(const Modules &All) {
  BitcodeContents Result;
  StringSet<> Seen;
  for (const std::unique_ptr<Module> &M : All) {
    for (const Function &F : *M)
      if (!F.isDeclaration() && F.hasFnAttribute(HookAttribute) &&
          Seen.insert(F.getName()).second)
        Result.Hooks.push_back(F.getName().str());
    for (const GlobalVariable &G : M->globals())
      if (isVariable(G) && Seen.insert(G.getName()).second)
        Result.Variables.push_back(
            {G.getName().str(),
             M->getDataLayout().getTypeAllocSize(G.getValueType()), isCell(G),
             G.isConstant()});
  }
  return Result;
}

/// What \p M was compiled for, as the functions in it say.
Expected<const amdgpu::MCTarget &> targetOf(const Module &M) {
  if (!M.getTargetTriple().isAMDGCN())
    return createStringError("it is bitcode for " + M.getTargetTriple().str() +
                             ", not for an AMD GPU");
  for (const Function &F : M) {
    const StringRef Processor =
        F.getFnAttribute("target-cpu").getValueAsString();
    if (Processor.empty())
      continue;
    TargetID Target;
    SmallVector<StringRef> Features;
    F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
    for (const StringRef Feature : Features) {
      const bool IsOn = Feature.starts_with("+");
      if (Feature.drop_front(Feature.empty() ? 0 : 1) == "xnack")
        Target.Xnack = IsOn;
      else if (Feature.drop_front(Feature.empty() ? 0 : 1) == "sramecc")
        Target.SramEcc = IsOn;
    }
    return amdgpu::MCTarget::get(Processor, Target.featureString());
  }
  return createStringError("it does not say for which processor it is");
}

/// The section that the plugin puts hooks into.
bool hasHooksEmbedded(const Module &M) {
  return any_of(M.globals(), [](const GlobalVariable &G) {
    return G.getSection() == HooksSection;
  });
}

void embed(Module &M, ArrayRef<uint8_t> Bytes) {
  Constant *Data =
      ConstantDataArray::getString(M.getContext(), toStringRef(Bytes), false);
  auto *Section = new GlobalVariable(
      M, Data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
      Data, "luthier.hooks", nullptr, GlobalValue::NotThreadLocal,
      AMDGPUAS::GLOBAL_ADDRESS);
  Section->setSection(HooksSection);
  Section->setAlignment(Align(4));
  appendToCompilerUsed(M, {Section});
}

/// \p Hooks with their variables, which \p All of them only declare.
std::unique_ptr<Module> makeVariables(const Modules &All,
                                      ArrayRef<uint8_t> Hooks,
                                      LLVMContext &Context) {
  auto M = std::make_unique<Module>("variables", Context);
  M->setTargetTriple(All.front()->getTargetTriple());
  M->setDataLayout(All.front()->getDataLayout());
  M->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                   CodeObjectVersion);
  SmallVector<GlobalValue *, 8> Kept;
  for (const std::unique_ptr<Module> &Each : All)
    for (const GlobalVariable &G : Each->globals()) {
      if (!isVariable(G) || G.isConstant() || isCell(G) ||
          M->getNamedGlobal(G.getName()))
        continue;
      auto *New = new GlobalVariable(
          *M, G.getValueType(), /*isConstant=*/false,
          GlobalValue::ExternalLinkage,
          Constant::getNullValue(G.getValueType()), G.getName(), nullptr,
          GlobalValue::NotThreadLocal, G.getAddressSpace());
      New->setAlignment(G.getAlign());
      New->setVisibility(GlobalValue::ProtectedVisibility);
      New->setExternallyInitialized(true);
      Kept.push_back(New);
    }
  appendToCompilerUsed(*M, Kept);
  embed(*M, Hooks);
  return M;
}

} // namespace

bool isBitcode(ArrayRef<uint8_t> Bytes) {
  const StringRef Text = toStringRef(Bytes);
  return Text.starts_with("BC\xC0\xDE") ||
         Text.starts_with(StringRef("\xDE\xC0\x17\x0B", 4));
}

Expected<BitcodeContents> readHookBitcode(ArrayRef<uint8_t> Bytes) {
  LLVMContext Context;
  auto All = parse(Bytes, Context);
  if (!All)
    return All.takeError();
  return contentsOf(*All);
}

Expected<std::vector<uint8_t>> makeCodeObject(ArrayRef<uint8_t> Bytes) {
  LLVMContext Context;
  auto All = parse(Bytes, Context);
  if (!All)
    return All.takeError();
  if (All->empty())
    return createStringError("it is empty");
  auto Target = targetOf(*All->front());
  if (!Target)
    return Target.takeError();
  std::unique_ptr<Module> M;
  if (hasHooksEmbedded(*All->front()))
    M = std::move(All->front());
  else if (contentsOf(*All).Hooks.empty())
    return createStringError(
        "it has no hooks (bitcode comes from luthier_add_tool's compiler flags "
        "and -emit-llvm; sources have MARK_LUTHIER_DEVICE_MODULE)");
  else
    M = makeVariables(*All, Bytes, Context);
  auto Object = amdgpu::emitObject(*M, *Target);
  if (!Object)
    return Object.takeError();
  return linkSharedObject(*Object);
}

} // namespace luthier
