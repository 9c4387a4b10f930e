// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadCompiler.h"
#include "amdgpu/CompileErrors.h"
#include "hook/codegen/ExecWriteLowering.h"
#include "hook/codegen/PayloadExtractor.h"
#include "hook/codegen/PayloadRegisters.h"
#include "hook/codegen/PlaceholderLowering.h"
#include "hook/codegen/ScalarConditions.h"
#include "hook/ir/AllocaLowering.h"
#include "hook/ir/EmptyExecGuards.h"
#include "hook/ir/ExecWriteCalls.h"
#include "hook/ir/IntrinsicLowering.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/LaunchState.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/WaveEffects.h"
#include "hook/ir/WaveSize.h"
#include "luthier/detail/HookParameter.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace luthier {
namespace {

/// Takes each finished machine function apart before LLVM would print it.
class CollectPayloads : public MachineFunctionPass {
public:
  static char ID;
  CollectPayloads(amdgpu::MachineEncoder &Encoder, const PayloadABI &ABI,
                  const amdgpu::CompileErrors &Errors,
                  std::vector<Payload> &Payloads, Error &Failure)
      : MachineFunctionPass(ID), Encoder(Encoder), ABI(ABI), Errors(Errors),
        Payloads(Payloads), Failure(Failure) {}
  StringRef getPassName() const override {
    return "Luthier payload collection";
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    StringRef Number = MF.getName();
    unsigned Index;
    // After errors, the code may be none that can be encoded.
    if (Failure || !Errors.text().empty() ||
        !Number.consume_front(PayloadPrefix) || Number.getAsInteger(10, Index))
      return false;
    Payload &P = Payloads[Index];
    if (MF.getFunction().hasFnAttribute(RestoresExecAttribute))
      P.WritesEXEC = false;
    Failure = extractPayload(MF, Encoder, ABI, P);
    return false;
  }

private:
  amdgpu::MachineEncoder &Encoder;
  const PayloadABI &ABI;
  const amdgpu::CompileErrors &Errors;
  std::vector<Payload> &Payloads;
  Error &Failure;
};
char CollectPayloads::ID = 0;

} // namespace

/// A parameter that names a register must be a constant when intrinsics are
/// lowered.
static bool namesRegister(const Argument &A) {
  return any_of(A.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && namesRegister(intrinsicName(*Call)) &&
           Call->getArgOperand(0) == &A;
  });
}

struct PayloadCompiler::Impl {
  const amdgpu::MCTarget &Target;
  const HookModule &Hooks;
  LLVMContext Context;
  amdgpu::CompileErrors Errors{Context};
  amdgpu::TargetMachineHandle TM;
  std::unique_ptr<Module> M; ///< As parsed.

  Impl(const amdgpu::MCTarget &Target, const HookModule &Hooks)
      : Target(Target), Hooks(Hooks) {}

  /// What prepare() made last, and of what.
  std::vector<PayloadVariant> PreparedVariants;
  std::unique_ptr<Module> Prepared;

  Expected<std::vector<Function *>> prepare(ArrayRef<PayloadVariant> Variants);
  Error lower(Function &F, const PayloadABI &ABI, const SharedMemory &Shared,
              const Counters &KnownCounters, Payload &Result);
  Error generateCode(Module &M, const PayloadABI &ABI,
                     std::vector<Payload> &Result);
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
                        unsigned WaveSize) {
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
  return std::unique_ptr<PayloadCompiler>(new PayloadCompiler(std::move(P)));
}

Expected<SmallVector<HookParameter, 4>>
PayloadCompiler::parametersOf(StringRef Hook) const {
  Expected<Function &> F = findHook(*P->M, Hook, P->Hooks.ToolName);
  if (!F)
    return F.takeError();
  SmallVector<HookParameter, 4> Result;
  const DataLayout &DL = P->M->getDataLayout();
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
           namesRegister(A), T->isPointerTy()});
  }
  return Result;
}

/// The functions of \p M that are payloads, in the order of their variants.
static std::vector<Function *> payloadsOf(Module &M, size_t Count) {
  std::vector<Function *> Result;
  for (size_t I = 0; I < Count; ++I)
    Result.push_back(M.getFunction((PayloadPrefix + Twine(I)).str()));
  return Result;
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
  for (Function *F : *Payloads)
    if (Error E = lowerAllocas(*F)) {
      Prepared.reset();
      return std::move(E);
    }
  return Payloads;
}

Error PayloadCompiler::Impl::generateCode(Module &M, const PayloadABI &ABI,
                                          std::vector<Payload> &Result) {
  amdgpu::MachineEncoder Encoder(Target);
  Error Failure = Error::success();
  legacy::PassManager PM;
  auto *MMI = new MachineModuleInfoWrapperPass(TM.get());
  auto *Config = static_cast<TargetPassConfig *>(TM->createPassConfig(PM));
  Config->setDisableVerify(true);
  // In waves of 32, LLVM 22's scheduler moves one half of a register pair in
  // front of the other's definition, which still says that it begins the pair,
  // and later passes take the first half for dead.
  Config->disablePass(&MachineSchedulerID);
  PM.add(Config);
  PM.add(MMI);
  surroundStructurizer(*Config);
  Config->insertPass(
      &FinalizeISelID,
      IdentifyingPassPtr(createPayloadRegisterPass(Target, ABI)));
  Config->insertPass(&FinalizeISelID,
                     IdentifyingPassPtr(createScalarConditionPass()));
  // The last place where machine code is still in SSA form.
  Config->insertPass(&ProcessImplicitDefsID,
                     IdentifyingPassPtr(createPlaceholderPass(ABI)));
  Config->insertPass(&ProcessImplicitDefsID,
                     IdentifyingPassPtr(createExecWriteLoweringPass(ABI)));
  if (Config->addISelPasses()) {
    consumeError(std::move(Failure));
    return refuse(RefusalReason::UnsupportedHook,
                  "LLVM cannot select instructions for this processor");
  }
  Config->addMachinePasses();
  Config->setInitialized();
  PM.add(new CollectPayloads(Encoder, ABI, Errors, Result, Failure));
  PM.run(M);
  return Failure;
}

/// What code generation needs to know beside the processor. Scratch
/// instructions take offsets from a register of our choice, buffer instructions
/// would need the application's descriptor. Halves of registers as operands
/// only exist in pseudo instructions that the assembly printer expands.
static void setFeatures(Function &F, const TargetMachine &TM,
                        const PayloadABI &ABI) {
  std::string Features = TM.getTargetFeatureString().str();
  if (!Features.empty())
    Features += ',';
  Features += "+enable-flat-scratch,-real-true16,";
  Features += ABI.WaveSize == 32 ? "-wavefrontsize64,+wavefrontsize32"
                                 : "-wavefrontsize32,+wavefrontsize64";
  F.addFnAttr("target-features", Features);
}

Expected<HookNeeds>
PayloadCompiler::needs(ArrayRef<PayloadVariant> Variants) const {
  auto Payloads = P->prepare(Variants);
  if (!Payloads)
    return Payloads.takeError();
  return needsOf(*P->Prepared, *Payloads);
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

/// From LLVM IR with luthier's intrinsics to what LLVM has code for.
Error PayloadCompiler::Impl::lower(Function &F, const PayloadABI &ABI,
                                   const SharedMemory &Shared,
                                   const Counters &KnownCounters,
                                   Payload &Result) {
  setFeatures(F, *TM, ABI);
  if (Error E = checkWaveSize(F, waveSizeOf(*M), ABI.WaveSize))
    return E;
  lowerWaveSize(F, waveSizeOf(*M), ABI.WaveSize);
  if (Error E = lowerIntrinsics(F, Target, ABI, KnownCounters, Result))
    return E;
  if (Error E = lowerLaunchState(F, ABI, Result))
    return E;
  if (Error E = lowerVariables(F, Shared, ABI, Result))
    return E;
  // Of hooks that act on lanes alone, see Payload::SkipsWithoutLanes.
  Result.ActsOnWave = any_of(instructions(F), isWaveEffect);
  if (Error E = lowerScalars(F, Result.ActsOnWave))
    return E;
  if (Error E = checkSupported(F))
    return E;
  if (Result.ActsOnWave)
    guardAgainstEmptyExec(F, *TM);
  return Error::success();
}

Expected<std::vector<Payload>>
PayloadCompiler::compile(ArrayRef<PayloadVariant> Variants,
                         const PayloadABI &ABI) {
  if (auto Prepared = P->prepare(Variants); !Prepared)
    return Prepared.takeError();
  std::unique_ptr<Module> M = CloneModule(*P->Prepared);
  std::vector<Payload> Result(Variants.size());
  std::vector<Function *> Payloads = payloadsOf(*M, Variants.size());
  Expected<SharedMemory> Shared = sharedMemoryOf(*M);
  if (!Shared)
    return Shared.takeError();
  Counters KnownCounters;
  for (auto [F, Variant] : zip(Payloads, Variants))
    if (Error E = collectCounters(*F, KnownCounters))
      return inHook(std::move(E), *P->M, Variant.Hook.Function);
  for (auto [F, Variant, Payload] : zip(Payloads, Variants, Result))
    if (Error E = P->lower(*F, ABI, *Shared, KnownCounters, Payload))
      return inHook(std::move(E), *P->M, Variant.Hook.Function);
  P->Errors.clear();
  if (Error E = P->generateCode(*M, ABI, Result))
    return std::move(E);
  if (!P->Errors.text().empty())
    return refuse(P->Errors.ranOutOfRegisters()
                      ? RefusalReason::RegisterBudget
                      : RefusalReason::UnsupportedHook,
                  withHookNames(P->Errors.text(), *P->M, Variants));
  return Result;
}

} // namespace luthier
