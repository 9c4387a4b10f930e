// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadCompiler.h"
#include "amdgpu/CompileErrors.h"
#include "hook/PassPipeline.h"
#include "hook/PayloadArchive.h"
#include "hook/PayloadKeys.h"
#include "hook/VariableAddresses.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/UserIntrinsics.h"
#include "hook/ir/Variables.h"
#include "hook/ir/WaveSize.h"
#include "luthier/Refusal.h"
#include "luthier/detail/HookParameter.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {

/// What names a register or a counter of the wave must be a constant when
/// intrinsics are lowered.
static bool mustBeConstant(const Argument &A) {
  SmallPtrSet<const Value *, 8> Seen = {&A};
  SmallVector<const Value *, 8> Work = {&A};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const User *U : V->users()) {
      if (auto *Call = dyn_cast<CallBase>(U)) {
        StringRef Name = intrinsicName(*Call);
        if (Call->getArgOperand(0) == V &&
            (namesCounter(Name) || (namesRegister(Name) && V == &A)))
          return true;
      } else if (isNumberOfCounter(*U) && Seen.insert(U).second) {
        Work.push_back(U);
      }
    }
  }
  return false;
}

struct PayloadCompiler::Impl {
  const amdgpu::MCTarget &Target;
  const HookModule &Hooks;
  LLVMContext Context;
  amdgpu::CompileErrors Errors{Context};
  amdgpu::TargetMachineHandle TM;
  std::unique_ptr<Module> M; ///< As parsed.

  PayloadStore *Store = nullptr;
  ArchiveWriter ModuleKey; ///< The part of keys that is always the same.
  PayloadCounts Counts;

  Impl(const amdgpu::MCTarget &Target, const HookModule &Hooks)
      : Target(Target), Hooks(Hooks) {}

  /// What prepare() made last, and of what.
  std::vector<PayloadVariant> PreparedVariants;
  std::unique_ptr<Module> Prepared;

  Expected<std::vector<Function *>> prepare(ArrayRef<PayloadVariant> Variants);
  Expected<HookNeeds> needs(ArrayRef<PayloadVariant> Variants);
  Expected<std::vector<Payload>> compile(ArrayRef<PayloadVariant> Variants,
                                         const PayloadABI &ABI);
  ArchiveWriter keyOf(ArrayRef<PayloadVariant> Variants) const;
  PassContext context() {
    return PassContext(Target, *TM, Errors, waveSizeOf(*M));
  }
};

/// What was compiled for waves of \p WaveSize lanes, or else what there is.
static Expected<std::unique_ptr<Module>>
parseHooks(MemoryBufferRef Bitcode, unsigned WaveSize, LLVMContext &Context) {
  auto All = getBitcodeModuleList(Bitcode);
  if (!All)
    return All.takeError();
  std::unique_ptr<Module> Chosen;
  for (BitcodeModule &Compiled : *All) {
    auto M = Compiled.getLazyModule(Context, /*ShouldLazyLoadMetadata=*/true,
                                    /*IsImporting=*/false);
    if (!M)
      return M.takeError();
    const bool Fits = waveSizeOf(**M) == WaveSize;
    if (!Chosen || Fits)
      Chosen = std::move(*M);
    if (Fits)
      break;
  }
  if (!Chosen)
    return createStringError("there is no module");
  if (Error E = Chosen->materializeAll())
    return std::move(E);
  return Chosen;
}

PayloadCompiler::PayloadCompiler(std::unique_ptr<Impl> P) : P(std::move(P)) {}
PayloadCompiler::~PayloadCompiler() = default;

Expected<std::unique_ptr<PayloadCompiler>>
PayloadCompiler::create(const amdgpu::MCTarget &Target, const HookModule &Hooks,
                        unsigned WaveSize, PayloadStore *Store) {
  auto P = std::make_unique<Impl>(Target, Hooks);
  P->TM = Target.createTargetMachine();
  StringRef Bytes(reinterpret_cast<const char *>(Hooks.Bitcode.data()),
                  Hooks.Bitcode.size());
  Expected<std::unique_ptr<Module>> M =
      parseHooks(MemoryBufferRef(Bytes, Hooks.ToolName), WaveSize, P->Context);
  if (!M)
    return refuse(RefusalReason::ToolWithoutBitcode,
                  Hooks.ToolName + ": " + toString(M.takeError()));
  P->M = std::move(*M);
  if (Store && !usesRegisteredIntrinsics(*P->M)) {
    P->Store = Store;
    addModule(P->ModuleKey, Hooks, Target, WaveSize);
  }
  return std::unique_ptr<PayloadCompiler>(new PayloadCompiler(std::move(P)));
}

/// What a parameter of type \p T takes, for messages.
static std::string describe(const Type &T, const DataLayout &DL) {
  const char *Kind = T.isPointerTy()         ? "a pointer"
                     : T.isFloatingPointTy() ? "a floating-point number"
                     : T.isIntegerTy()       ? "an integer"
                     : T.isVectorTy()        ? "a vector"
                                             : "a structure or array";
  const TypeSize Size = DL.getTypeAllocSize(const_cast<Type *>(&T));
  return (Twine(Kind) + " of " + Twine(Size.getFixedValue()) +
          (Size == TypeSize::getFixed(1) ? " byte" : " bytes"))
      .str();
}

static Expected<SmallVector<HookParameter, 4>>
parametersOf(Module &M, StringRef Hook, StringRef ToolName) {
  Expected<Function &> F = findHook(M, Hook, ToolName);
  if (!F)
    return F.takeError();
  SmallVector<HookParameter, 4> Result;
  const DataLayout &DL = M.getDataLayout();
  for (const Argument &A : F->args()) {
    if (!isPassable(A))
      return refuse(RefusalReason::UnsupportedHook,
                    "parameter " + Twine(A.getArgNo()) + " of " + Hook +
                        " is not a value of at most " +
                        Twine(MaxParameterBytes) + " bytes");
    Type *T = valueTypeOf(A);
    const unsigned Bits =
        isScalar(*T) ? DL.getTypeSizeInBits(T) : 8 * DL.getTypeAllocSize(T);
    for (unsigned First = 0; First < Bits; First += 64)
      Result.push_back(
          {std::min(64u, Bits - First), unsigned(DL.getABITypeAlign(T).value()),
           T->isFloatingPointTy() ? &T->getFltSemantics() : nullptr, First != 0,
           mustBeConstant(A), T->isPointerTy(), describe(*T, DL)});
  }
  return Result;
}

Expected<SmallVector<HookParameter, 4>>
PayloadCompiler::parametersOf(StringRef Hook) const {
  return luthier::parametersOf(*P->M, Hook, P->Hooks.ToolName);
}

/// The functions of \p M that are payloads, in the order of their variants.
static std::vector<Function *> payloadsOf(Module &M, size_t Count) {
  std::vector<Function *> Result;
  for (size_t I = 0; I < Count; ++I)
    Result.push_back(M.getFunction((PayloadPrefix + Twine(I)).str()));
  return Result;
}

/// "hook 'count' (Tool.hip:12)".
static std::string nameOf(const Module &M, StringRef Hook) {
  std::string Name = ("hook '" + Hook + "'").str();
  const Function *F = M.getFunction(Hook);
  if (const DISubprogram *Source = F ? F->getSubprogram() : nullptr)
    Name += (" (" + sys::path::filename(Source->getFilename()) + ":" +
             Twine(Source->getLine()) + ")")
                .str();
  return Name;
}

/// \p E, which says of which hook it is.
static Error inHook(Error E, const Module &M, StringRef Hook) {
  return handleErrors(std::move(E), [&](const Refusal &R) -> Error {
    return refuse(R.reason(), nameOf(M, Hook) + ": " + R.detail());
  });
}

/// The part that does not depend on the ABI, done once for needs() and any
/// number of ABIs.
Expected<std::vector<Function *>>
PayloadCompiler::Impl::prepare(ArrayRef<PayloadVariant> Variants) {
  if (Prepared && Variants == ArrayRef(PreparedVariants))
    return payloadsOf(*Prepared, Variants.size());
  Prepared = CloneModule(*M);
  PreparedVariants = Variants.vec();
  auto Payloads = createPayloads(*Prepared, Variants, Hooks, *TM);
  if (!Payloads) {
    Prepared.reset();
    return Payloads;
  }
  PassContext C = context();
  const IRPasses Passes = preparationPasses();
  for (auto [F, Variant] : zip_equal(*Payloads, Variants))
    if (Error E = runPasses(Passes, *F, C)) {
      Prepared.reset();
      return inHook(std::move(E), *M, Variant.Hook.Function);
    }
  return Payloads;
}

Expected<HookNeeds>
PayloadCompiler::Impl::needs(ArrayRef<PayloadVariant> Variants) {
  auto Payloads = prepare(Variants);
  if (!Payloads)
    return Payloads.takeError();
  return needsOf(*Prepared, *Payloads);
}

/// \p Text with hooks in place of the functions that are made of them.
static std::string withHookNames(std::string Text, const Module &M,
                                 ArrayRef<PayloadVariant> Variants) {
  // The highest number first: others are parts of it.
  for (size_t I = Variants.size(); I-- > 0;) {
    const std::string Name = (PayloadPrefix + Twine(I)).str();
    for (size_t At; (At = Text.find(Name)) != std::string::npos;)
      Text.replace(At, Name.size(), nameOf(M, Variants[I].Hook.Function));
  }
  return Text;
}

Expected<std::vector<Payload>>
PayloadCompiler::Impl::compile(ArrayRef<PayloadVariant> Variants,
                               const PayloadABI &ABI) {
  if (auto Payloads = prepare(Variants); !Payloads)
    return Payloads.takeError();
  std::unique_ptr<Module> Copy = CloneModule(*Prepared);
  std::vector<Function *> Payloads = payloadsOf(*Copy, Variants.size());
  PassContext C = context();
  C.ABI = ABI;
  Expected<SharedMemory> Shared = sharedMemoryOf(*Copy);
  if (!Shared)
    return Shared.takeError();
  C.Shared = std::move(*Shared);
  for (auto [F, Variant] : zip_equal(Payloads, Variants))
    if (Error E = collectCounters(*F, C.KnownCounters))
      return inHook(std::move(E), *M, Variant.Hook.Function);
  const IRPasses Passes = loweringPasses();
  for (auto [F, Variant] : zip_equal(Payloads, Variants))
    if (Error E = runPasses(Passes, *F, C))
      return inHook(std::move(E), *M, Variant.Hook.Function);
  Errors.clear();
  legacy::PassManager PM;
  if (Error E = addCodegen(PM, C))
    return std::move(E);
  PM.run(*Copy);
  if (Error E = C.takeFailure())
    return handleErrors(std::move(E), [&](const Refusal &R) {
      return refuse(R.reason(), withHookNames(R.detail().str(), *M, Variants));
    });
  if (!Errors.text().empty())
    return refuse(Errors.ranOutOfRegisters() ? RefusalReason::RegisterBudget
                                             : RefusalReason::UnsupportedHook,
                  withHookNames(Errors.text(), *M, Variants));
  std::vector<Payload> Result;
  for (const Function *F : Payloads)
    Result.push_back(std::move(C.Payloads[F->getName()]));
  return Result;
}

ArchiveWriter
PayloadCompiler::Impl::keyOf(ArrayRef<PayloadVariant> Variants) const {
  ArchiveWriter Key = ModuleKey;
  addVariants(Key, Variants, [&](StringRef Hook, size_t Parameter) {
    auto Parameters = luthier::parametersOf(*M, Hook, Hooks.ToolName);
    if (!Parameters)
      consumeError(Parameters.takeError());
    return Parameters && (*Parameters)[Parameter].IsPointer &&
           (*Parameters)[Parameter].Bits == 64;
  });
  return Key;
}

/// What \p Store has for \p Key; else what \p Make makes, for the next time.
template <typename T>
static Expected<T> findOrMake(PayloadStore &Store, const ArchiveWriter &Key,
                              StringRef What,
                              function_ref<Expected<T>()> Make) {
  const PayloadKey Digest = digestOf(Key);
  if (auto Bytes = Store.find(Digest))
    if (auto Known = unarchive<T>(*Bytes))
      return std::move(*Known);
  Expected<T> Made = Make();
  if (auto Bytes = archive(Made))
    Store.keep(Digest, What, *Bytes);
  return Made;
}

Expected<HookNeeds>
PayloadCompiler::needs(ArrayRef<PayloadVariant> Variants) const {
  if (!P->Store)
    return P->needs(Variants);
  return findOrMake<HookNeeds>(*P->Store, P->keyOf(Variants),
                               "needs of " + describe(Variants, P->Target),
                               [&] { return P->needs(Variants); });
}

Expected<std::vector<Payload>>
PayloadCompiler::compile(ArrayRef<PayloadVariant> Variants,
                         const PayloadABI &ABI) {
  bool IsFound = true;
  auto compileNow = [&] {
    IsFound = false;
    return P->compile(Variants, ABI);
  };
  auto findOrCompile = [&] {
    ArchiveWriter Key = P->keyOf(Variants);
    Key(ABI);
    return findOrMake<std::vector<Payload>>(
        *P->Store, Key, describe(Variants, P->Target), compileNow);
  };
  Expected<std::vector<Payload>> Result =
      P->Store ? findOrCompile() : compileNow();
  (IsFound ? P->Counts.Found : P->Counts.Compiled) += Variants.size();
  if (Result && !P->Hooks.SymbolicVariables)
    for (Payload &Compiled : *Result)
      if (Error E = fillIn(Compiled, P->Hooks))
        return std::move(E);
  return Result;
}

const PayloadCounts &PayloadCompiler::counts() const { return P->Counts; }

} // namespace luthier
