// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadCompiler.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIMachineFunctionInfo.h"
#include "amdgpu/RegisterFiles.h"
#include "hook/ExecOrder.h"
#include "hook/IntrinsicLowering.h"
#include "hook/PayloadExtractor.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral PayloadPrefix = "luthier.payload.";

/// Keeps the application's registers and the frame out of register allocation.
/// Reserving them as whole-wave registers is what LLVM offers from outside.
class ReserveRegisters : public MachineFunctionPass {
public:
  static char ID;
  ReserveRegisters(const amdgpu::RegisterFiles &Files,
                   const PayloadFrame &Frame)
      : MachineFunctionPass(ID), Files(Files), Frame(Frame) {}
  StringRef getPassName() const override {
    return "Luthier register reservation";
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    auto *Info = MF.getInfo<SIMachineFunctionInfo>();
    for (unsigned I = 0; I < Files.vgprCount(); ++I)
      if (I < Frame.FirstVGPR || I >= Frame.VGPRLimit)
        Info->reserveWWMRegister(Files.vgpr(I));
    for (unsigned I = 0; I < Files.sgprCount(); ++I)
      if (I < Frame.FirstSGPR || I >= Frame.SGPRLimit)
        Info->reserveWWMRegister(Files.sgpr(I));
    // Nobody calls a payload: it need not avoid what a callee must preserve.
    MF.getRegInfo().setCalleeSavedRegs({});
    MF.getRegInfo().freezeReservedRegs();
    return false;
  }

private:
  const amdgpu::RegisterFiles &Files;
  const PayloadFrame &Frame;
};
char ReserveRegisters::ID = 0;

/// Takes each finished machine function apart before LLVM would print it.
class CollectPayloads : public MachineFunctionPass {
public:
  static char ID;
  CollectPayloads(amdgpu::MachineEncoder &Encoder, const PayloadFrame &Frame,
                  std::vector<Payload> &Payloads, Error &Failure)
      : MachineFunctionPass(ID), Encoder(Encoder), Frame(Frame),
        Payloads(Payloads), Failure(Failure) {}
  StringRef getPassName() const override {
    return "Luthier payload collection";
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    StringRef Number = MF.getName();
    unsigned Index;
    if (Failure || !Number.consume_front(PayloadPrefix) ||
        Number.getAsInteger(10, Index))
      return false;
    if (MF.getFunction().hasFnAttribute(RestoresExecAttribute))
      Payloads[Index].WritesEXEC = false;
    Failure = extractPayload(MF, Encoder, Frame, Payloads[Index]);
    return false;
  }

private:
  amdgpu::MachineEncoder &Encoder;
  const PayloadFrame &Frame;
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
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->hasFnAttribute("luthier_intrinsic") &&
           Call->arg_size() && Call->getArgOperand(0) == &A;
  });
}

struct PayloadCompiler::Impl {
  const amdgpu::MCTarget &Target;
  const HookModule &Hooks;
  LLVMContext Context;
  std::unique_ptr<TargetMachine> TM;
  std::unique_ptr<Module> M;
  /// What LLVM reported as an error while it compiled.
  std::string Diagnostics;

  Impl(const amdgpu::MCTarget &Target, const HookModule &Hooks)
      : Target(Target), Hooks(Hooks) {
    Context.setDiagnosticHandlerCallBack(
        [](const DiagnosticInfo *Info, void *Out) {
          if (Info->getSeverity() != DS_Error)
            return;
          raw_string_ostream OS(*static_cast<std::string *>(Out));
          DiagnosticPrinterRawOStream Printer(OS);
          Info->print(Printer);
        },
        &Diagnostics);
  }

  Function &createPayload(unsigned Index, const PayloadVariant &Variant,
                          Function &Hook, const PayloadFrame &Frame);
  Error simplify(ArrayRef<Function *> Payloads);
  Error generateCode(const PayloadFrame &Frame, std::vector<Payload> &Result);
};

PayloadCompiler::PayloadCompiler(std::unique_ptr<Impl> P) : P(std::move(P)) {}
PayloadCompiler::~PayloadCompiler() = default;

Expected<std::unique_ptr<PayloadCompiler>>
PayloadCompiler::create(const amdgpu::MCTarget &Target,
                        const HookModule &Hooks) {
  auto P = std::make_unique<Impl>(Target, Hooks);
  P->TM = Target.createTargetMachine();
  StringRef Bytes(reinterpret_cast<const char *>(Hooks.Bitcode.data()),
                  Hooks.Bitcode.size());
  Expected<std::unique_ptr<Module>> M =
      parseBitcodeFile(MemoryBufferRef(Bytes, Hooks.ToolName), P->Context);
  if (!M)
    return refuse(RefusalReason::ToolWithoutBitcode,
                  Hooks.ToolName + ": " + toString(M.takeError()));
  P->M = std::move(*M);
  return std::unique_ptr<PayloadCompiler>(new PayloadCompiler(std::move(P)));
}

static Expected<Function &> findHook(Module &M, StringRef Name,
                                     StringRef ToolName) {
  Function *F = M.getFunction(Name);
  if (!F || F->isDeclaration() || !F->hasFnAttribute("luthier_hook"))
    return refuse(RefusalReason::UnknownHook,
                  "the bitcode of " + ToolName + " has no hook " + Name);
  return *F;
}

Expected<SmallVector<HookParameter, 4>>
PayloadCompiler::parametersOf(StringRef Hook) const {
  Expected<Function &> F = findHook(*P->M, Hook, P->Hooks.ToolName);
  if (!F)
    return F.takeError();
  SmallVector<HookParameter, 4> Result;
  for (const Argument &A : F->args()) {
    unsigned Bits =
        A.getType()->isPointerTy()
            ? P->M->getDataLayout().getPointerTypeSizeInBits(A.getType())
            : A.getType()->getPrimitiveSizeInBits();
    if (Bits == 0 || Bits > 64)
      return refuse(RefusalReason::UnsupportedHook,
                    "parameter " + Twine(A.getArgNo()) + " of " + Hook +
                        " is not a scalar of at most 64 bits");
    Result.push_back({Bits, namesRegister(A)});
  }
  return Result;
}

static Constant *constantOf(uint64_t Bits, Type *T) {
  LLVMContext &C = T->getContext();
  if (T->isPointerTy())
    return ConstantExpr::getIntToPtr(
        ConstantInt::get(Type::getInt64Ty(C), Bits), T);
  APInt Value(64, Bits);
  Value = Value.trunc(T->getPrimitiveSizeInBits());
  if (T->isIntegerTy())
    return ConstantInt::get(C, Value);
  return ConstantFP::get(C, APFloat(T->getFltSemantics(), Value));
}

Function &PayloadCompiler::Impl::createPayload(unsigned Index,
                                               const PayloadVariant &Variant,
                                               Function &Hook,
                                               const PayloadFrame &Frame) {
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::ExternalLinkage,
                             PayloadPrefix + Twine(Index), *M);
  // Naked: no frame, no saved registers; the code around takes care of both.
  F->addFnAttr(Attribute::Naked);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::Convergent);
  F->addFnAttr("target-cpu", TM->getTargetCPU());
  F->addFnAttr("target-features", TM->getTargetFeatureString());
  // The budget decides, not the occupancy that LLVM would aim for.
  F->addFnAttr("amdgpu-waves-per-eu", "1,1");
  F->addFnAttr("amdgpu-flat-work-group-size", "1,256");
  F->addFnAttr("amdgpu-agpr-alloc", "0");
  IRBuilder<> B(BasicBlock::Create(Context, "", F));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : Hook.args()) {
    const auto &Given = Variant.Arguments[A.getArgNo()];
    if (const auto *Slot = std::get_if<ArgumentSlot>(&Given))
      Arguments.push_back(readArgument(B, *Slot, Frame, A.getType()));
    else
      Arguments.push_back(constantOf(std::get<uint64_t>(Given), A.getType()));
  }
  B.CreateCall(&Hook, Arguments);
  B.CreateRetVoid();
  return *F;
}

/// Lanes that leave a loop at different times are brought back by code that
/// LLVM adds around it, and that a write of EXEC inside would break.
static Error checkLoops(Function &F, FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  for (BasicBlock &Block : F) {
    if (!isa<CallBrInst>(Block.getTerminator()))
      continue;
    for (Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop()) {
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      for (BasicBlock *Exit : Exiting)
        if (Uniformity.hasDivergentTerminator(*Exit))
          return refuse(RefusalReason::UnsupportedHook,
                        "a hook calls luthier::writeExec in a loop that lanes "
                        "leave at different times");
    }
  }
  return Error::success();
}

/// The bitcode is optimised already: what remains is to inline the hooks and to
/// fold what addresses and constants made foldable. No loop passes: they sink
/// reads of EXEC across its definitions.
Error PayloadCompiler::Impl::simplify(ArrayRef<Function *> Payloads) {
  for (Function &F : *M)
    if (!F.isDeclaration() && !F.getName().starts_with(PayloadPrefix)) {
      F.setLinkage(GlobalValue::InternalLinkage);
      F.removeFnAttr(Attribute::NoInline);
      F.removeFnAttr(Attribute::OptimizeNone);
      F.addFnAttr(Attribute::AlwaysInline);
    }
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(TM.get());
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(ADCEPass());
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass());
  MPM.addPass(GlobalDCEPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  MPM.run(*M, MAM);
  for (Function *F : Payloads)
    if (Error E = checkLoops(*F, FAM))
      return E;
  return Error::success();
}

Error PayloadCompiler::Impl::generateCode(const PayloadFrame &Frame,
                                          std::vector<Payload> &Result) {
  amdgpu::MachineEncoder Encoder(Target);
  Error Failure = Error::success();
  legacy::PassManager PM;
  auto *MMI = new MachineModuleInfoWrapperPass(TM.get());
  auto *Config = static_cast<TargetPassConfig *>(TM->createPassConfig(PM));
  Config->setDisableVerify(true);
  PM.add(Config);
  PM.add(MMI);
  Config->insertPass(&FinalizeISelID, IdentifyingPassPtr(new ReserveRegisters(
                                          Target.registerFiles(), Frame)));
  // The last place where machine code is still in SSA form.
  Config->insertPass(&ProcessImplicitDefsID,
                     IdentifyingPassPtr(createExecOrderPass()));
  if (Config->addISelPasses()) {
    consumeError(std::move(Failure));
    return refuse(RefusalReason::UnsupportedHook,
                  "LLVM cannot select instructions for this processor");
  }
  Config->addMachinePasses();
  Config->setInitialized();
  PM.add(new CollectPayloads(Encoder, Frame, Result, Failure));
  PM.run(*M);
  return Failure;
}

Expected<std::vector<Payload>>
PayloadCompiler::compile(ArrayRef<PayloadVariant> Variants,
                         const PayloadFrame &Frame) {
  std::vector<Function *> Functions;
  if (Error E = bindVariables(*P->M, P->Hooks))
    return std::move(E);
  for (const PayloadVariant &Variant : Variants) {
    Expected<Function &> Hook =
        findHook(*P->M, Variant.Hook.Function, P->Hooks.ToolName);
    if (!Hook)
      return Hook.takeError();
    Functions.push_back(
        &P->createPayload(Functions.size(), Variant, *Hook, Frame));
  }
  if (Error E = P->simplify(Functions))
    return std::move(E);
  std::vector<Payload> Result(Variants.size());
  for (auto [F, Payload] : zip(Functions, Result)) {
    if (Error E = lowerIntrinsics(*F, P->Target, Frame, Payload))
      return std::move(E);
    if (Error E = checkSupported(*F))
      return std::move(E);
  }
  if (Error E = P->generateCode(Frame, Result))
    return std::move(E);
  if (!P->Diagnostics.empty())
    return refuse(RefusalReason::RegisterBudget, P->Diagnostics);
  return Result;
}

} // namespace luthier
