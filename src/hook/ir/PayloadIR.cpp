// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/PayloadIR.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "luthier/detail/HookParameter.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
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

/// An argument that the payload computes, as type \p T.
static Value *emitComputed(IRBuilderBase &B, const ComputedArgument &A,
                           Type *T) {
  SmallVector<Value *, 8> Inputs;
  for (const auto &Input : A.Inputs)
    if (const auto *Slot = std::get_if<ArgumentSlot>(&Input))
      Inputs.push_back(placeholder(B, *Slot, B.getIntNTy(32 * Slot->Dwords)));
    else
      Inputs.push_back(B.getInt64(std::get<uint64_t>(Input)));
  Value *Bits = computeArgument(B, A.Form, A.Detail, Inputs);
  if (T->isPointerTy())
    return B.CreateIntToPtr(Bits, T);
  return B.CreateBitCast(
      B.CreateTrunc(Bits, B.getIntNTy(T->getPrimitiveSizeInBits())), T);
}

/// What is given for a parameter, or for 64 bits of one.
using GivenArgument = std::variant<uint64_t, ArgumentSlot, ComputedArgument>;

static Value *emitScalar(IRBuilderBase &B, const GivenArgument &Given,
                         Type *T) {
  if (const auto *Slot = std::get_if<ArgumentSlot>(&Given))
    return placeholder(B, *Slot, T);
  if (const auto *Computed = std::get_if<ComputedArgument>(&Given))
    return emitComputed(B, *Computed, T);
  return constantOf(std::get<uint64_t>(Given), T);
}

/// Takes as many of \p Given as there are 64 bits in \p Parameter.
static Value *emitArgument(IRBuilderBase &B, ArrayRef<GivenArgument> &Given,
                           const Argument &Parameter) {
  Type *T = valueTypeOf(Parameter);
  auto next = [&] {
    const GivenArgument &First = Given.front();
    Given = Given.drop_front();
    return &First;
  };
  const bool InMemory = Parameter.hasPointeeInMemoryValueAttr();
  if (isScalar(*T) && !InMemory)
    return emitScalar(B, *next(), T);
  // What is in memory for a moment can be of any type.
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  const unsigned Bytes = DL.getTypeAllocSize(T);
  AllocaInst *Memory = B.CreateAlloca(T, DL.getAllocaAddrSpace());
  Memory->setAlignment(std::max(
      {Align(8), Memory->getAlign(), Parameter.getParamAlign().valueOrOne()}));
  for (unsigned Offset = 0; Offset < Bytes; Offset += 8) {
    Type *Part = B.getIntNTy(8 * std::min(8u, Bytes - Offset));
    B.CreateStore(emitScalar(B, *next(), Part),
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

static Function &createPayload(Module &M, unsigned Index,
                               const PayloadVariant &Variant, Function &Hook,
                               const TargetMachine &TM) {
  LLVMContext &Context = M.getContext();
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::ExternalLinkage,
                             PayloadPrefix + Twine(Index), M);
  setPayloadAttributes(*F, TM);
  IRBuilder<> B(BasicBlock::Create(Context, "", F));
  SmallVector<Value *, 4> Arguments;
  ArrayRef<GivenArgument> Given = Variant.Arguments;
  for (Argument &A : Hook.args())
    Arguments.push_back(emitArgument(B, Given, A));
  B.CreateCall(&Hook, Arguments);
  B.CreateRetVoid();
  return *F;
}

namespace {

/// While it lives, scalar arguments and results of intrinsics are values that
/// LLVM knows to be the same in all lanes. It takes any result of a call to
/// differ.
class KnownScalars {
public:
  KnownScalars(Function &F, const MCRegisterInfo &MRI) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call || Call->getType()->isVoidTy() || !isScalar(*Call, MRI))
        continue;
      auto *FT = FunctionType::get(Call->getType(), false);
      CallInst *Scalar = IRBuilder<>(Call).CreateCall(
          InlineAsm::get(FT, "", "=s", /*hasSideEffects=*/true));
      Call->replaceAllUsesWith(Scalar);
      Replaced.emplace_back(Call, Scalar);
    }
  }
  ~KnownScalars() {
    for (auto [Call, Scalar] : Replaced) {
      Scalar->replaceAllUsesWith(Call);
      Scalar->eraseFromParent();
    }
  }
  KnownScalars(const KnownScalars &) = delete;
  KnownScalars &operator=(const KnownScalars &) = delete;

private:
  static bool isScalar(const CallInst &Call, const MCRegisterInfo &MRI) {
    StringRef Name = intrinsicName(Call);
    if (Name == ArgumentIntrinsic)
      return match(Call.getArgOperand(0), PatternMatch::m_Zero());
    return !Name.empty() && yieldsScalar(Call, MRI);
  }

  SmallVector<std::pair<CallInst *, CallInst *>, 4> Replaced;
};

} // namespace

/// A copy of EXEC, as hooks read it.
static bool readsExec(const Value &Mask) {
  auto *Call = dyn_cast<CallInst>(&Mask);
  if (!Call)
    return false;
  if (Call->getIntrinsicID() == Intrinsic::amdgcn_ballot)
    return match(Call->getArgOperand(0), PatternMatch::m_One());
  return Call->getIntrinsicID() == Intrinsic::read_register;
}

/// Where lanes go different ways, LLVM counts on EXEC to be, at the end of
/// each, what it was at its beginning.
static Error checkConditions(Function &F, FunctionAnalysisManager &FAM) {
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  auto &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(F);
  for (BasicBlock &Head : F) {
    if (!Uniformity.hasDivergentTerminator(Head))
      continue;
    const auto *Node = PostDominators.getNode(&Head);
    const BasicBlock *Join =
        Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    SmallPtrSet<const BasicBlock *, 8> Ways;
    SmallVector<const BasicBlock *, 8> Work(successors(&Head));
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      if (Block != Join && Ways.insert(Block).second)
        append_range(Work, successors(Block));
    }
    auto maskRead = [&](const BasicBlock &Block) -> const Instruction * {
      auto *Write = dyn_cast<CallBrInst>(Block.getTerminator());
      Value *Mask = Write ? Write->getArgOperand(0) : nullptr;
      // Waves of 32 lanes have masks of 64 bits, too.
      while (Mask && isa<ZExtInst, TruncInst>(Mask))
        Mask = cast<Instruction>(Mask)->getOperand(0);
      auto *Read = dyn_cast_or_null<Instruction>(Mask);
      return Read && readsExec(*Read) && Ways.contains(Read->getParent())
                 ? Read
                 : nullptr;
    };
    SmallPtrSet<const BasicBlock *, 8> Reads;
    for (const BasicBlock *Block : Ways)
      if (const Instruction *Read = maskRead(*Block))
        Reads.insert(Read->getParent());
    for (const BasicBlock *Block : Ways) {
      if (!isa<CallBrInst>(Block->getTerminator()) || maskRead(*Block))
        continue;
      SmallPtrSet<const BasicBlock *, 8> Seen;
      Work.assign(succ_begin(Block), succ_end(Block));
      while (!Work.empty()) {
        const BasicBlock *Next = Work.pop_back_val();
        // What is read behind the write is not what it was, either.
        if (Next == Join || Next == &Head || Reads.contains(Next) ||
            isa<ReturnInst>(Next->getTerminator()))
          return refuse(RefusalReason::UnsupportedHook,
                        placeOf(*Block->getTerminator()) +
                            "luthier::writeExec is called where lanes go "
                            "different ways, and EXEC is not set to what it "
                            "was there before they meet");
        if (Seen.insert(Next).second && !maskRead(*Next))
          append_range(Work, successors(Next));
      }
    }
  }
  return Error::success();
}

/// Lanes that leave a loop at different times are brought back by code that
/// LLVM adds around it, and that a write of EXEC inside would break.
Error ExecWriteCheckPass::run(Function &F, PassContext &C) {
  if (none_of(F, [](const BasicBlock &B) {
        return isa<CallBrInst>(B.getTerminator());
      }))
    return Error::success();
  const KnownScalars Known(F, *C.TM.getMCRegisterInfo());
  FunctionAnalysisManager FAM;
  PassBuilder(&C.TM).registerFunctionAnalyses(FAM);
  if (Error E = checkConditions(F, FAM))
    return E;
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
                        placeOf(*Block.getTerminator()) +
                            "luthier::writeExec is called in a loop that lanes "
                            "leave at different times");
    }
  }
  return Error::success();
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
    Payloads.push_back(&createPayload(M, Payloads.size(), Variant, *Hook, TM));
  }
  simplify(M, TM);
  return Payloads;
}

} // namespace luthier
