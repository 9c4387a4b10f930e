// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/PayloadIR.h"
#include "codeobject/DeviceVariables.h"
#include "codeobject/HiddenArguments.h"
#include "hook/KeptNumbers.h"
#include "hook/VariableAddresses.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/LaunchState.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "luthier/detail/HookParameter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace luthier {

Expected<Function &> findHook(Module &M, StringRef Name, StringRef ToolName) {
  Function *F = M.getFunction(Name);
  if (!F || F->isDeclaration() || !F->hasFnAttribute("luthier_hook"))
    return refuse(RefusalReason::UnknownHook,
                  "the bitcode of " + ToolName + " has no hook " + Name);
  return *F;
}

bool isScalar(const Type &T) {
  return T.isPointerTy() || ((T.isIntegerTy() || T.isFloatingPointTy()) &&
                             T.getPrimitiveSizeInBits() <= 64);
}

static Constant *pointerTo(const SymbolicAddress &Place, Type *T, Module &M) {
  Type *Byte = Type::getInt8Ty(M.getContext());
  return ConstantExpr::getGetElementPtr(
      Byte,
      ConstantExpr::getPointerBitCastOrAddrSpaceCast(
          &variableNamed(M, Place.Symbol), T),
      ConstantInt::get(Type::getInt64Ty(M.getContext()), Place.Offset));
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

/// Stands for argument \p Slot until there is a PayloadABI.
static Value *placeholder(IRBuilderBase &B, const ArgumentSlot &Slot, Type *T) {
  return callIntrinsic(B, ArgumentIntrinsic, T,
                       {B.getInt32(Slot.IsVector), B.getInt32(Slot.Index),
                        B.getInt32(Slot.Dwords), B.getInt32(Slot.IsLiteral)});
}

/// Where a variable begins that has no address yet: as the tool's own code has
/// it, which finds a managed one through the cell of its name.
static Value *beginOf(IRBuilderBase &B, const HookModule::HostVariable &V,
                      const HookModule &Hooks) {
  GlobalVariable &Named =
      variableNamed(*B.GetInsertBlock()->getModule(), V.Name);
  if (!Hooks.Variables.contains((V.Name + ManagedSuffix).str()))
    return B.CreatePtrToInt(&Named, B.getInt64Ty());
  // Nothing changes the cell while a kernel runs: a scalar load reads it.
  LoadInst *Storage =
      B.CreateAlignedLoad(B.getInt64Ty(),
                          ConstantExpr::getAddrSpaceCast(
                              &Named, B.getPtrTy(AMDGPUAS::CONSTANT_ADDRESS)),
                          Align(8));
  Storage->setMetadata(LLVMContext::MD_invariant_load,
                       MDNode::get(B.getContext(), {}));
  return Storage;
}

/// An argument that the payload computes, as type \p T.
static Value *emitComputed(IRBuilderBase &B, const ComputedArgument &A, Type *T,
                           const HookModule &Hooks) {
  SmallVector<Value *, 8> Inputs;
  for (const auto &Input : A.Inputs) {
    const auto *Bits = std::get_if<uint64_t>(&Input);
    if (!Bits) {
      const auto &Slot = std::get<ArgumentSlot>(Input);
      Inputs.push_back(placeholder(B, Slot, B.getIntNTy(32 * Slot.Dwords)));
    } else if (A.Form == ArgumentForm::Variable && Inputs.empty()) {
      Inputs.push_back(beginOf(B, variableAt(*Bits, Hooks), Hooks));
    } else {
      Inputs.push_back(B.getInt64(*Bits));
    }
  }
  Value *Bits = computeArgument(B, A.Form, A.Detail, Inputs);
  if (T->isPointerTy())
    return B.CreateIntToPtr(Bits, T);
  return B.CreateBitCast(
      B.CreateTrunc(Bits, B.getIntNTy(T->getPrimitiveSizeInBits())), T);
}

/// What is given for a parameter, or for 64 bits of one.
using GivenArgument = std::variant<uint64_t, ArgumentSlot, ComputedArgument>;

static Value *emitScalar(IRBuilderBase &B, const GivenArgument &Given, Type *T,
                         const HookModule &Hooks) {
  if (const auto *Slot = std::get_if<ArgumentSlot>(&Given))
    return placeholder(B, *Slot, T);
  if (const auto *Computed = std::get_if<ComputedArgument>(&Given))
    return emitComputed(B, *Computed, T, Hooks);
  const uint64_t Bits = std::get<uint64_t>(Given);
  Module &M = *B.GetInsertBlock()->getModule();
  if (T->isPointerTy() && M.getDataLayout().getPointerTypeSizeInBits(T) == 64)
    if (const auto Place = symbolOf(Bits, Hooks))
      return pointerTo(*Place, T, M);
  return constantOf(Bits, T);
}

/// Takes as many of \p Given as there are 64 bits in \p Parameter.
static Value *emitArgument(IRBuilderBase &B, ArrayRef<GivenArgument> &Given,
                           const Argument &Parameter, const HookModule &Hooks) {
  Type *T = valueTypeOf(Parameter);
  auto next = [&] {
    const GivenArgument &First = Given.front();
    Given = Given.drop_front();
    return &First;
  };
  const bool InMemory = Parameter.hasPointeeInMemoryValueAttr();
  if (isScalar(*T) && !InMemory)
    return emitScalar(B, *next(), T, Hooks);
  // What is in memory for a moment can be of any type.
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  const unsigned Bytes = DL.getTypeAllocSize(T);
  AllocaInst *Memory = B.CreateAlloca(T, DL.getAllocaAddrSpace());
  Memory->setAlignment(std::max(
      {Align(8), Memory->getAlign(), Parameter.getParamAlign().valueOrOne()}));
  for (unsigned Offset = 0; Offset < Bytes; Offset += 8) {
    Type *Part =
        T->isPointerTy() ? T : B.getIntNTy(8 * std::min(8u, Bytes - Offset));
    B.CreateStore(emitScalar(B, *next(), Part, Hooks),
                  B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), Memory, Offset));
  }
  return InMemory ? static_cast<Value *>(Memory) : B.CreateLoad(T, Memory);
}

void setPayloadAttributes(Function &F, const TargetMachine &TM) {
  // Naked: no frame, no saved registers; the code around takes care of both.
  F.addFnAttr(Attribute::Naked);
  F.addFnAttr(Attribute::NoUnwind);
  F.addFnAttr(Attribute::Convergent);
  F.addFnAttr("target-cpu", TM.getTargetCPU());
  // None of what a called function could be given.
  for (StringRef Input :
       {"dispatch-ptr", "queue-ptr", "dispatch-id", "implicitarg-ptr",
        "workgroup-id-x", "workgroup-id-y", "workgroup-id-z", "workitem-id-x",
        "workitem-id-y", "workitem-id-z", "lds-kernel-id", "hostcall-ptr",
        "heap-ptr", "multigrid-sync-arg", "default-queue", "completion-action",
        "flat-scratch-init"})
    F.addFnAttr(("amdgpu-no-" + Input).str());
  // The budget decides, not the occupancy that LLVM would aim for.
  F.addFnAttr("amdgpu-waves-per-eu", "1,1");
  F.addFnAttr("amdgpu-flat-work-group-size", "1,256");
  F.addFnAttr("amdgpu-agpr-alloc", "0");
}

/// As luthier::blockInDispatch() has it.
static Value *numberOfBlock(IRBuilderBase &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  const unsigned Version = codeObjectVersion(*B.GetInsertBlock()->getParent());
  Value *Arguments =
      B.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, ArrayRef<Value *>());
  auto load = [&](HiddenArgument Which) {
    LoadInst *Load = B.CreateAlignedLoad(
        B.getInt32Ty(),
        B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), Arguments,
                                     infoOf(Which).offset(Version)),
        Align(4));
    Load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(M.getContext(), {}));
    return Load;
  };
  auto id = [&](Intrinsic::ID Axis) {
    return B.CreateIntrinsic(Axis, ArrayRef<Value *>());
  };
  Value *Number = B.CreateMul(load(HiddenArgument::BlocksY),
                              id(Intrinsic::amdgcn_workgroup_id_z));
  Number = B.CreateAdd(Number, id(Intrinsic::amdgcn_workgroup_id_y));
  Number = B.CreateMul(Number, load(HiddenArgument::BlocksX));
  Number = B.CreateAdd(Number, id(Intrinsic::amdgcn_workgroup_id_x));
  return callIntrinsic(B, KeptIntrinsic, B.getInt32Ty(),
                       {B.getInt32(unsigned(KeptNumber::Block)), Number});
}

/// Goes on in workgroups of \p Inside, and returns in others.
static void enterOnlyIn(IRBuilderBase &B,
                        const detail::WorkgroupRange &Inside) {
  Function &F = *B.GetInsertBlock()->getParent();
  auto *In = BasicBlock::Create(F.getContext(), "", &F),
       *Out = BasicBlock::Create(F.getContext(), "", &F);
  Value *Distance = B.CreateSub(numberOfBlock(B), B.getInt32(Inside.First));
  B.CreateCondBr(
      B.CreateICmpULE(Distance, B.getInt32(Inside.Last - Inside.First)), In,
      Out);
  B.SetInsertPoint(Out);
  B.CreateRetVoid();
  B.SetInsertPoint(In);
}

static Function &createPayload(Module &M, unsigned Index,
                               const PayloadVariant &Variant, Function &Hook,
                               const HookModule &Hooks,
                               const TargetMachine &TM) {
  LLVMContext &Context = M.getContext();
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::ExternalLinkage,
                             PayloadPrefix + Twine(Index), M);
  setPayloadAttributes(*F, TM);
  if (Variant.EndsWave)
    F->addFnAttr(EndsWaveAttribute);
  IRBuilder<> B(BasicBlock::Create(Context, "", F));
  if (!Variant.Workgroups.isAll())
    enterOnlyIn(B, Variant.Workgroups);
  SmallVector<Value *, 4> Arguments;
  ArrayRef<GivenArgument> Given = Variant.Arguments;
  for (Argument &A : Hook.args())
    Arguments.push_back(emitArgument(B, Given, A, Hooks));
  B.CreateCall(&Hook, Arguments);
  B.CreateRetVoid();
  return *F;
}

/// The bitcode is optimised already: what remains is to inline the hooks and to
/// fold what addresses and constants made foldable. No loop passes: they sink
/// reads of EXEC across its definitions.
static void simplify(Module &M, TargetMachine &TM) {
  for (Function &F : M)
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
  PassBuilder PB(&TM);
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
  MPM.run(M, MAM);
}

Expected<std::vector<Function *>>
createPayloads(Module &M, ArrayRef<PayloadVariant> Variants,
               const HookModule &Hooks, TargetMachine &TM) {
  if (Error E = bindVariables(M, Hooks))
    return std::move(E);
  std::vector<Function *> Payloads;
  for (const PayloadVariant &Variant : Variants) {
    Expected<Function &> Hook =
        findHook(M, Variant.Hook.Function, Hooks.ToolName);
    if (!Hook)
      return Hook.takeError();
    Payloads.push_back(
        &createPayload(M, Payloads.size(), Variant, *Hook, Hooks, TM));
  }
  simplify(M, TM);
  return Payloads;
}

} // namespace luthier
