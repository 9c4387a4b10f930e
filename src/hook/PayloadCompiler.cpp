// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadCompiler.h"
#include "amdgpu/FatalErrors.h"
#include "amdgpu/RegisterFiles.h"
#include "hook/ParsedHooks.h"
#include "hook/PassPipeline.h"
#include "hook/PayloadArchive.h"
#include "hook/PayloadKeys.h"
#include "hook/VariableAddresses.h"
#include "hook/VariantFacts.h"
#include "hook/ir/HookClone.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/UserIntrinsics.h"
#include "hook/ir/Variables.h"
#include "hook/ir/WaveSize.h"
#include "luthier/Refusal.h"
#include "luthier/detail/HookParameter.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {

struct PayloadCompiler::Impl {
  const amdgpu::MCTarget &Target;
  const HookModule &Hooks;
  const unsigned WaveSize;
  PayloadStore *const GivenStore;
  std::unique_ptr<ParsedHooks> Parsed;
  amdgpu::CompileErrors &Errors = Parsed->Errors;
  amdgpu::TargetMachineHandle &TM = Parsed->TM;
  std::unique_ptr<Module> &M = Parsed->M;

  PayloadStore *Store = nullptr;
  ArchiveWriter ModuleKey; ///< The part of keys that is always the same.
  PayloadCounts Counts;
  SeenConstants Constants;

  /// LLVM has given up: nothing here may be used for compiling any more, nor be
  /// destroyed.
  bool IsBroken = false;
  /// What it said, if that is why there is no payload.
  std::optional<std::string> FatalError;
  /// What is said of hooks that it gives up on.
  StringMap<std::string> FatalHooks;

  Impl(const amdgpu::MCTarget &Target, const HookModule &Hooks,
       unsigned WaveSize, PayloadStore *Store, std::unique_ptr<ParsedHooks> Of)
      : Target(Target), Hooks(Hooks), WaveSize(WaveSize), GivenStore(Store),
        Parsed(std::move(Of)) {
    if (Store && !usesRegisteredIntrinsics(*M)) {
      this->Store = Store;
      addModule(ModuleKey, Hooks, Target, WaveSize);
    }
  }
  static Expected<std::unique_ptr<Impl>> create(const amdgpu::MCTarget &Target,
                                                const HookModule &Hooks,
                                                unsigned WaveSize,
                                                PayloadStore *Store);

  /// What prepare() made last, and of what.
  std::vector<PayloadVariant> PreparedVariants;
  std::unique_ptr<Module> Prepared;

  /// By keyOf() the variant.
  StringMap<VariantFacts> Facts;
  /// By the same, with addPlace().
  StringMap<Payload> Made;
  size_t MadeBytes = 0; ///< What all of them take, about.

  Expected<std::vector<Function *>> prepare(ArrayRef<PayloadVariant> Variants);
  Expected<std::vector<const VariantFacts *>>
  learn(ArrayRef<PayloadVariant> Variants);
  std::optional<VariantFacts> findFacts(const ArchiveWriter &Key);
  Error remember(const ArchiveWriter &Key, Payload New);
  Expected<bool> recall(const ArchiveWriter &Key);
  Error keep(const ArchiveWriter &Key, const PayloadVariant &Variant,
             Payload New);
  Expected<std::unique_ptr<CodeGenerator>> codeGenerator();
  Error compileMissing(ArrayRef<PayloadVariant> Missing, const PayloadABI &ABI,
                       const CommonLayout &Layout,
                       std::vector<Payload> &Result);
  Expected<std::vector<Payload>>
  compileOrRecall(ArrayRef<PayloadVariant> Missing,
                  ArrayRef<ArchiveWriter> Keys, const PayloadABI &ABI,
                  const CommonLayout &Layout);
  ArchiveWriter keyOf(const PayloadVariant &Variant) const;
  PassContext context() {
    return PassContext(Target, *TM, Errors, waveSizeOf(*M));
  }
};

PayloadCompiler::PayloadCompiler(std::unique_ptr<Impl> P) : P(std::move(P)) {}
PayloadCompiler::~PayloadCompiler() = default;

Expected<std::unique_ptr<PayloadCompiler::Impl>>
PayloadCompiler::Impl::create(const amdgpu::MCTarget &Target,
                              const HookModule &Hooks, unsigned WaveSize,
                              PayloadStore *Store) {
  auto New = parseHooks(Target, Hooks, WaveSize);
  if (!New)
    return New.takeError();
  return std::make_unique<Impl>(Target, Hooks, WaveSize, Store,
                                std::move(*New));
}

Expected<std::unique_ptr<PayloadCompiler>>
PayloadCompiler::create(const amdgpu::MCTarget &Target, const HookModule &Hooks,
                        unsigned WaveSize, PayloadStore *Store) {
  auto P = Impl::create(Target, Hooks, WaveSize, Store);
  if (!P)
    return P.takeError();
  return std::unique_ptr<PayloadCompiler>(new PayloadCompiler(std::move(*P)));
}

std::unique_ptr<PayloadCompiler>
PayloadCompiler::create(PayloadCompiler &&Parsed, const HookModule &Hooks,
                        PayloadStore *Store) {
  // What it has made of the hooks goes before what it has parsed.
  const std::unique_ptr<Impl> Old = std::move(Parsed.P);
  Old->Prepared.reset();
  auto P = std::make_unique<Impl>(Old->Target, Hooks, Old->WaveSize, Store,
                                  std::move(Old->Parsed));
  return std::unique_ptr<PayloadCompiler>(new PayloadCompiler(std::move(P)));
}

/// In place of what is broken, and stays in memory.
void PayloadCompiler::startAgain() {
  // It could be parsed before.
  auto Next =
      cantFail(Impl::create(P->Target, P->Hooks, P->WaveSize, P->GivenStore));
  Next->Counts = P->Counts;
  Next->Constants = std::move(P->Constants);
  Next->FatalHooks = std::move(P->FatalHooks);
  (void)P.release();
  P = std::move(Next);
}

Expected<SmallVector<HookParameter, 4>>
PayloadCompiler::parametersOf(StringRef Hook) const {
  return luthier::parametersOf(*P->M, Hook, P->Hooks);
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

/// The hooks of \p Variants, each once.
static SmallSetVector<StringRef, 4> hooksOf(ArrayRef<PayloadVariant> Variants) {
  SmallSetVector<StringRef, 4> Result;
  for (const PayloadVariant &Variant : Variants)
    Result.insert(Variant.Hook.Function);
  return Result;
}

/// The part that does not depend on the ABI, done once for needs() and any
/// number of ABIs.
Expected<std::vector<Function *>>
PayloadCompiler::Impl::prepare(ArrayRef<PayloadVariant> Variants) {
  if (Prepared && Variants == ArrayRef(PreparedVariants))
    return payloadsOf(*Prepared, Variants.size());
  Prepared = cloneWith(hooksOf(Variants).getArrayRef(), *M);
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

/// All that is asked of \p Variant, the same in every process.
ArchiveWriter
PayloadCompiler::Impl::keyOf(const PayloadVariant &Variant) const {
  ArchiveWriter Key;
  addVariant(Key, Variant, [&](StringRef Hook, size_t Parameter) {
    auto Parameters = luthier::parametersOf(*M, Hook, Hooks);
    if (!Parameters)
      consumeError(Parameters.takeError());
    return Parameters && (*Parameters)[Parameter].IsPointer &&
           (*Parameters)[Parameter].Bits == 64;
  });
  return Key;
}

/// As the key of a map.
static StringRef textOf(const ArchiveWriter &Key) {
  return toStringRef(ArrayRef(Key.bytes()));
}

/// Of what kind, of which hooks, and what is asked of them.
static PayloadKey digestOf(StringRef Kind, const ArchiveWriter &Module,
                           ArrayRef<ArchiveWriter> Keys) {
  ArchiveWriter Whole = Module;
  Whole(Kind, Keys.size());
  for (const ArchiveWriter &Key : Keys)
    Whole(Key.bytes());
  return luthier::digestOf(Whole);
}
static constexpr StringLiteral FactsKind = "facts", PayloadKind = "payload",
                               RefusalKind = "refusal";

std::optional<VariantFacts>
PayloadCompiler::Impl::findFacts(const ArchiveWriter &Key) {
  if (!Store)
    return std::nullopt;
  auto Bytes = Store->find(digestOf(FactsKind, ModuleKey, Key));
  auto Known = Bytes ? unarchive<NamedFacts>(*Bytes) : std::nullopt;
  if (!Known || !*Known) {
    if (Known)
      consumeError(Known->takeError());
    return std::nullopt;
  }
  return factsIn(*M, **Known);
}

/// Prepares what comes up for the first time.
Expected<std::vector<const VariantFacts *>>
PayloadCompiler::Impl::learn(ArrayRef<PayloadVariant> Variants) {
  std::vector<PayloadVariant> New;
  std::vector<ArchiveWriter> Keys, NewKeys;
  for (const PayloadVariant &Variant : Variants) {
    const ArchiveWriter &Key = Keys.emplace_back(keyOf(Variant));
    if (Facts.contains(textOf(Key)))
      continue;
    if (auto Found = findFacts(Key)) {
      Facts.insert({textOf(Key), std::move(*Found)});
      continue;
    }
    New.push_back(Variant);
    NewKeys.push_back(Key);
  }
  if (!New.empty()) {
    auto Payloads = prepare(New);
    if (!Payloads)
      return Payloads.takeError();
    for (auto [F, Variant, Key] : zip_equal(*Payloads, New, NewKeys)) {
      Expected<VariantFacts> Found = factsOf(*F, *M);
      if (!Found)
        return inHook(Found.takeError(), *M, Variant.Hook.Function);
      if (Store) {
        Expected<NamedFacts> Named = namesOf(*Found);
        if (auto Bytes = archive(Named))
          Store->keep(digestOf(FactsKind, ModuleKey, Key),
                      "needs of " + describe(Variant, Target), *Bytes);
      }
      Facts.insert({textOf(Key), std::move(*Found)});
    }
  }
  std::vector<const VariantFacts *> Result;
  for (const ArchiveWriter &Key : Keys)
    Result.push_back(&Facts.find(textOf(Key))->second);
  return Result;
}

Expected<HookNeeds> PayloadCompiler::needs(ArrayRef<PayloadVariant> Variants) {
  if (Error E = refuseFatalHooks(Variants))
    return std::move(E);
  auto Facts = P->learn(Variants);
  if (!Facts)
    return Facts.takeError();
  Expected<CommonLayout> Layout = layOut(*Facts, *P->M);
  if (!Layout)
    return Layout.takeError();
  return needsOf(*Facts, *Layout);
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

Expected<std::unique_ptr<CodeGenerator>>
PayloadCompiler::Impl::codeGenerator() {
  if (Parsed->Ready)
    return std::move(Parsed->Ready);
  auto New = std::make_unique<CodeGenerator>(context());
  if (Error E = addCodegen(New->Passes, New->C))
    return std::move(E);
  return New;
}

/// Compiles \p Missing, into one of \p Result for each.
Error PayloadCompiler::Impl::compileMissing(ArrayRef<PayloadVariant> Missing,
                                            const PayloadABI &ABI,
                                            const CommonLayout &Layout,
                                            std::vector<Payload> &Result) {
  if (auto Functions = prepare(Missing); !Functions)
    return Functions.takeError();
  auto Codegen = codeGenerator();
  if (!Codegen)
    return Codegen.takeError();
  std::unique_ptr<Module> Clone = CloneModule(*Prepared);
  std::vector<Function *> Payloads = payloadsOf(*Clone, Missing.size());
  PassContext &C = (*Codegen)->C;
  C.Payloads.clear();
  C.ABI = ABI;
  C.Shared = Layout.sharedIn(*Clone);
  C.KnownCounters = Layout.countersIn(*Clone);
  C.HasAddresses = !Hooks.SymbolicVariables;
  const IRPasses Passes = loweringPasses();
  for (auto [F, Variant] : zip_equal(Payloads, Missing))
    if (Error E = runPasses(Passes, *F, C))
      return inHook(std::move(E), *M, Variant.Hook.Function);
  Errors.clear();
  auto Fatal =
      amdgpu::runUntilFatalError([&] { (*Codegen)->Passes.run(*Clone); });
  // What was noted before LLVM gave up is the reason for that.
  Error Failure = C.takeFailure();
  for (const Function *F : Payloads)
    Result.push_back(std::move(C.Payloads[F->getName()]));
  if (Fatal) {
    IsBroken = true;
    (void)Codegen->release();
    (void)Clone.release();
  }
  if (Failure)
    return handleErrors(std::move(Failure), [&](const Refusal &R) {
      return refuse(R.reason(), withHookNames(R.detail().str(), *M, Missing));
    });
  if (!Errors.text().empty())
    return refuse(Errors.ranOutOfRegisters() ? RefusalReason::RegisterBudget
                                             : RefusalReason::UnsupportedHook,
                  withHookNames(Errors.text(), *M, Missing));
  if (Fatal) {
    FatalError = std::move(Fatal);
    return refuse(RefusalReason::UnsupportedHook, *FatalError);
  }
  Parsed->Ready = std::move(*Codegen);
  return Error::success();
}

/// compileMissing(), or the refusal that it came to in another process.
Expected<std::vector<Payload>> PayloadCompiler::Impl::compileOrRecall(
    ArrayRef<PayloadVariant> Missing, ArrayRef<ArchiveWriter> Keys,
    const PayloadABI &ABI, const CommonLayout &Layout) {
  const PayloadKey Digest =
      Store ? digestOf(RefusalKind, ModuleKey, Keys) : PayloadKey();
  if (auto Bytes = Store ? Store->find(Digest) : std::nullopt)
    if (auto Known = unarchive<std::vector<Payload>>(*Bytes);
        Known && !*Known) {
      Counts.Found += Missing.size();
      return Known->takeError();
    }
  std::vector<Payload> New;
  Counts.Compiled += Missing.size();
  Error E = compileMissing(Missing, ABI, Layout, New);
  if (!E)
    return New;
  Expected<std::vector<Payload>> Failed = std::move(E);
  if (Store && !IsBroken)
    if (auto Bytes = archive(Failed))
      Store->keep(Digest, describe(Missing, Target) + ", refused", *Bytes);
  return Failed;
}

/// With the addresses of this process.
Error PayloadCompiler::Impl::remember(const ArchiveWriter &Key, Payload New) {
  if (!Hooks.SymbolicVariables)
    if (Error E = fillIn(New, Hooks))
      return E;
  MadeBytes +=
      sizeof(New) + New.Code.size() + New.Lines.size() * sizeof(LineEntry);
  Made.insert({textOf(Key), std::move(New)});
  return Error::success();
}

/// From the store, if it is there.
Expected<bool> PayloadCompiler::Impl::recall(const ArchiveWriter &Key) {
  auto Bytes =
      Store ? Store->find(digestOf(PayloadKind, ModuleKey, Key)) : std::nullopt;
  auto Known = Bytes ? unarchive<std::vector<Payload>>(*Bytes) : std::nullopt;
  if (!Known)
    return false;
  if (!*Known || (*Known)->size() != 1) {
    if (!*Known)
      consumeError(Known->takeError());
    return false;
  }
  ++Counts.Found;
  if (Error E = remember(Key, std::move((*Known)->front())))
    return std::move(E);
  return true;
}

Error PayloadCompiler::Impl::keep(const ArchiveWriter &Key,
                                  const PayloadVariant &Variant, Payload New) {
  if (Store) {
    Expected<std::vector<Payload>> Alone(std::vector<Payload>{New});
    if (auto Bytes = archive(Alone))
      Store->keep(digestOf(PayloadKind, ModuleKey, Key),
                  describe(Variant, Target), *Bytes);
  }
  return remember(Key, std::move(New));
}

Error PayloadCompiler::refuseFatalHooks(
    ArrayRef<PayloadVariant> Variants) const {
  for (StringRef Hook : hooksOf(Variants))
    if (auto Found = P->FatalHooks.find(Hook); Found != P->FatalHooks.end())
      return refuse(RefusalReason::UnsupportedHook, Found->second);
  return Error::success();
}

/// After a fatal error in compiling \p Missing: finds out which hooks have one,
/// and refuses the first of them.
Error PayloadCompiler::blame(ArrayRef<PayloadVariant> Missing,
                             const PayloadABI &ABI,
                             const CommonLayout &Layout) {
  const std::string Message = *P->FatalError;
  auto note = [&](StringRef Hook, StringRef Why) {
    P->FatalHooks[Hook] = nameOf(*P->M, Hook) + ": LLVM cannot compile it: " +
                          Why.split('\n').first.str();
  };
  startAgain();
  const auto Hooks = hooksOf(Missing);
  if (Hooks.size() == 1)
    note(Hooks.front(), Message);
  else
    for (StringRef Hook : Hooks) {
      std::vector<PayloadVariant> Its;
      copy_if(Missing, std::back_inserter(Its),
              [&](const PayloadVariant &V) { return V.Hook.Function == Hook; });
      std::vector<Payload> Alone;
      P->Counts.Compiled += Its.size();
      consumeError(P->compileMissing(Its, ABI, Layout, Alone));
      if (!P->IsBroken)
        continue;
      const std::optional<std::string> Why = P->FatalError;
      startAgain();
      if (Why)
        note(Hook, *Why);
    }
  if (Error E = refuseFatalHooks(Missing))
    return E;
  // Only all together.
  for (StringRef Hook : Hooks)
    note(Hook, Message);
  return refuseFatalHooks(Missing);
}

Expected<std::vector<Payload>>
PayloadCompiler::compile(ArrayRef<PayloadVariant> Variants,
                         const PayloadABI &ABI) {
  if (Error E = refuseFatalHooks(Variants))
    return std::move(E);
  auto Facts = P->learn(Variants);
  if (!Facts)
    return Facts.takeError();
  Expected<CommonLayout> Layout = layOut(*Facts, *P->M);
  if (!Layout)
    return Layout.takeError();
  std::vector<ArchiveWriter> Keys, MissingKeys;
  std::vector<PayloadVariant> Missing;
  for (auto [Variant, Known] : zip_equal(Variants, *Facts)) {
    ArchiveWriter &Key = Keys.emplace_back(P->keyOf(Variant));
    addPlace(Key, ABI, *Known, *Layout);
    if (P->Made.contains(textOf(Key)))
      continue;
    Expected<bool> IsFound = P->recall(Key);
    if (!IsFound)
      return IsFound.takeError();
    if (*IsFound)
      continue;
    Missing.push_back(Variant);
    MissingKeys.push_back(Key);
  }
  if (!Missing.empty()) {
    auto New = P->compileOrRecall(Missing, MissingKeys, ABI, *Layout);
    if (!New && P->FatalError) {
      consumeError(New.takeError());
      return blame(Missing, ABI, *Layout);
    }
    if (!New) {
      if (P->IsBroken)
        startAgain();
      return New.takeError();
    }
    for (auto [Key, Variant, Payload] : zip_equal(MissingKeys, Missing, *New))
      if (Error E = P->keep(Key, Variant, std::move(Payload)))
        return std::move(E);
  }
  std::vector<Payload> Result;
  for (const ArchiveWriter &Key : Keys)
    Result.push_back(P->Made.find(textOf(Key))->second);
  return Result;
}

/// LLVM finds what overlaps a register when somebody asks, and remembers it.
/// For those of accumulation registers, each compilation asks.
static void fillAliases(const MCRegisterInfo &Registers,
                        const amdgpu::RegisterFiles &Files) {
  using enum amdgpu::RegisterFile;
  auto ask = [&](MCRegister Reg) {
    if (Reg)
      (void)MCRegAliasIterator(Reg, &Registers, /*IncludeSelf=*/true);
  };
  // No window ends further up.
  const unsigned Most = std::min(256u, Files.count(VGPR));
  for (auto [File, End] : {std::pair(SGPR, Files.count(SGPR)), {VGPR, Most}})
    for (unsigned I = 0; I < End; ++I)
      ask(I % amdgpu::RegisterFiles::Widest == 0 ? Files.widest(File, I)
                                                 : Files.pair(File, I));
}

void PayloadCompiler::setUp() {
  auto New = P->codeGenerator();
  if (!New) // The compilation that needs it says why.
    return consumeError(New.takeError());
  P->Parsed->Ready = std::move(*New);
  if (const MCRegisterInfo *Registers = P->Parsed->Ready->C.Registers)
    fillAliases(*Registers, P->Target.registerFiles());
}

bool PayloadCompiler::hasIntrinsicsOfTool() const {
  return any_of(*P->M, [](const Function &F) {
    return F.hasFnAttribute(IntrinsicAttribute) &&
           !F.getFnAttribute(IntrinsicAttribute)
                .getValueAsString()
                .starts_with("luthier::");
  });
}

const PayloadCounts &PayloadCompiler::counts() const { return P->Counts; }

SeenConstants &PayloadCompiler::seenConstants() { return P->Constants; }

bool PayloadCompiler::isFull() const {
  constexpr size_t Most = 4096, MostBytes = 16 << 20;
  return P->Facts.size() > Most || P->Made.size() > Most ||
         P->MadeBytes > MostBytes;
}

} // namespace luthier
