// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass for clang (-fpass-plugin) that has kernels count their own
// instructions, as somebody would write it by hand into optimised code: the
// lower bound for counting by blocks. Waves' and lanes' executions are added up
// in scalar registers, by a line of assembly in each block, and in memory once
// per wave.
//
// Blocks that the whole wave executes together add two constants; lanes are
// multiplied at the end. Others add what they do for each active lane. What is
// added for a block is the number of its instructions in LLVM IR: costs are the
// same whatever it is.
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;

namespace {

/// Blocks that some lanes of a wave may execute without the others: those whose
/// execution a branch decides that differs between lanes.
DenseSet<const BasicBlock *> divergentBlocks(Function &F,
                                             FunctionAnalysisManager &FAM) {
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  const auto &PostDominators = FAM.getResult<PostDominatorTreeAnalysis>(F);
  DenseSet<const BasicBlock *> Divergent;
  auto DecidesDifferently = [&](const BasicBlock &BB) {
    return Uniformity.hasDivergentTerminator(BB) || Divergent.contains(&BB);
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &Branch : F) {
      if (!DecidesDifferently(Branch) ||
          Branch.getTerminator()->getNumSuccessors() < 2)
        continue;
      for (BasicBlock &BB : F)
        if (!Divergent.contains(&BB) &&
            !PostDominators.properlyDominates(&BB, &Branch) &&
            any_of(successors(&Branch), [&](BasicBlock *Next) {
              return PostDominators.dominates(&BB, Next);
            }))
          Changed |= Divergent.insert(&BB).second;
    }
  }
  return Divergent;
}

/// Whether \p I becomes an instruction of the lanes, as far as that can be
/// told.
bool isOfLanes(const Instruction &I, const UniformityInfo &Uniformity) {
  return Uniformity.isDivergent(&I) || isa<StoreInst>(I);
}

/// Registers that callees need not preserve, so high that no program here has
/// other uses for them: s_add_u32 in a function called goes on with its
/// caller's count. Together: what whole waves execute.
constexpr StringLiteral TogetherAll = "s88", TogetherOfLanes = "s89",
                        ApartAll = "s90", ApartLanes = "s91", Scratch = "s92";
constexpr StringLiteral Counters[] = {TogetherAll, TogetherOfLanes, ApartAll,
                                      ApartLanes};

class Counting {
public:
  Counting(Function &F, FunctionAnalysisManager &FAM)
      : F(F), Uniformity(FAM.getResult<UniformityInfoAnalysis>(F)),
        IsKernel(F.getCallingConv() == CallingConv::AMDGPU_KERNEL),
        Divergent(divergentBlocks(F, FAM)) {}

  /// Inserts everything; \p Sums holds two numbers of 64 bits.
  void run(GlobalVariable &Sums) {
    // Before anything is inserted, which uniformity says nothing about.
    std::vector<Number> Numbers;
    for (BasicBlock &BB : F)
      Numbers.push_back(numberOf(BB));
    for (const Number &N : Numbers)
      count(N);
    if (!IsKernel)
      return;
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    for (StringRef Counter : Counters)
      assemble(Entry, "s_mov_b32 " + Counter + ", 0");
    for (const Number &N : Numbers)
      if (isa<ReturnInst>(N.BB->getTerminator()))
        addUp(*N.BB->getTerminator(), Sums);
  }

private:
  struct Number {
    BasicBlock *BB;
    unsigned All, OfLanes;
  };

  Number numberOf(BasicBlock &BB) const {
    Number N{&BB, 0, 0};
    for (const Instruction &I : BB)
      if (!isa<PHINode>(I) && !I.isDebugOrPseudoInst()) {
        ++N.All;
        N.OfLanes += isOfLanes(I, Uniformity);
      }
    return N;
  }

  static void assemble(IRBuilder<> &B, const Twine &Text) {
    std::string Clobbers = "~{scc}";
    for (StringRef Register : Counters)
      Clobbers += (",~{" + Register + "}").str();
    Clobbers += (",~{" + Scratch + "}").str();
    B.CreateCall(InlineAsm::get(FunctionType::get(B.getVoidTy(), false),
                                Text.str(), Clobbers,
                                /*hasSideEffects=*/true));
  }

  static std::string add(StringRef Counter, unsigned Number) {
    return ("s_add_u32 " + Counter + ", " + Counter + ", " + Twine(Number) +
            "\n")
        .str();
  }

  void count(const Number &N) {
    // Behind what the block begins with, where no allocation is.
    IRBuilder<> B(N.BB->getTerminator());
    if (IsKernel && !Divergent.contains(N.BB)) {
      assemble(B, add(TogetherAll, N.All) +
                      (N.OfLanes ? add(TogetherOfLanes, N.OfLanes) : ""));
      return;
    }
    std::string Text = add(ApartAll, N.All);
    if (N.OfLanes)
      Text += ("s_bcnt1_i32_b64 " + Scratch + ", exec\ns_mul_i32 " + Scratch +
               ", " + Scratch + ", " + Twine(N.OfLanes) + "\ns_add_u32 " +
               ApartLanes + ", " + ApartLanes + ", " + Scratch + "\n")
                  .str();
    // What the wave does once counts as one lane.
    if (N.All != N.OfLanes)
      Text += add(ApartLanes, N.All - N.OfLanes);
    assemble(B, Text);
  }

  static Value *read(IRBuilder<> &B, StringRef Counter) {
    auto *Type = FunctionType::get(B.getInt32Ty(), false);
    return B.CreateZExt(
        B.CreateCall(InlineAsm::get(Type, ("s_mov_b32 $0, " + Counter).str(),
                                    "=s", /*hasSideEffects=*/true)),
        B.getInt64Ty());
  }

  /// Where the whole wave ends: both sums to memory, by one lane.
  void addUp(Instruction &End, GlobalVariable &Sums) {
    IRBuilder<> B(&End);
    Value *All = read(B, TogetherAll), *OfLanes = read(B, TogetherOfLanes);
    Value *Active = B.CreateIntrinsic(Intrinsic::amdgcn_ballot,
                                      {B.getInt64Ty()}, {B.getTrue()});
    Value *Lanes = B.CreateAdd(
        B.CreateMul(OfLanes, B.CreateUnaryIntrinsic(Intrinsic::ctpop, Active)),
        B.CreateSub(All, OfLanes));
    if (!Divergent.empty() || callsOthers()) {
      All = B.CreateAdd(All, read(B, ApartAll));
      Lanes = B.CreateAdd(Lanes, read(B, ApartLanes));
    }
    Value *Low = B.CreateIntrinsic(
        Intrinsic::amdgcn_mbcnt_lo, {},
        {B.CreateTrunc(Active, B.getInt32Ty()), B.getInt32(0)});
    Value *Below = B.CreateIntrinsic(
        Intrinsic::amdgcn_mbcnt_hi, {},
        {B.CreateTrunc(B.CreateLShr(Active, 32), B.getInt32Ty()), Low});
    Value *IsFirst = B.CreateICmpEQ(Below, B.getInt32(0));
    BasicBlock *Before = End.getParent();
    BasicBlock *After = Before->splitBasicBlock(End.getIterator());
    BasicBlock *Once = BasicBlock::Create(F.getContext(), "count", &F, After);
    Before->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Before);
    B.CreateCondBr(IsFirst, Once, After);
    B.SetInsertPoint(Once);
    addToMemory(B, Sums, 0, All);
    addToMemory(B, Sums, 1, Lanes);
    B.CreateBr(After);
  }

  static void addToMemory(IRBuilder<> &B, GlobalVariable &Sums, unsigned At,
                          Value *Sum) {
    LLVMContext &Context = B.getContext();
    auto *Add = B.CreateAtomicRMW(
        AtomicRMWInst::Add,
        B.CreateConstInBoundsGEP2_64(Sums.getValueType(), &Sums, 0, At), Sum,
        Align(8), AtomicOrdering::Monotonic,
        Context.getOrInsertSyncScopeID("agent-one-as"));
    // Never memory of the host.
    for (StringRef Fact :
         {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory"})
      Add->setMetadata(Fact, MDNode::get(Context, {}));
  }

  bool callsOthers() const {
    for (const BasicBlock &BB : F)
      for (const Instruction &I : BB)
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && !Call->isInlineAsm() &&
            !(Call->getCalledFunction() &&
              Call->getCalledFunction()->isDeclaration()))
          return true;
    return false;
  }

  Function &F;
  const UniformityInfo &Uniformity;
  const bool IsKernel;
  const DenseSet<const BasicBlock *> Divergent;
};

struct CountBlocksPass : PassInfoMixin<CountBlocksPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isAMDGCN())
      return PreservedAnalyses::all();
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    auto *Both = ArrayType::get(Type::getInt64Ty(M.getContext()), 2);
    auto *Sums = new GlobalVariable(
        M, Both, false, GlobalValue::ExternalLinkage,
        ConstantAggregateZero::get(Both), "instructions_counted", nullptr,
        GlobalValue::NotThreadLocal, 1, /*isExternallyInitialized=*/true);
    Sums->setVisibility(GlobalValue::ProtectedVisibility);
    Sums->setAlignment(Align(8));
    for (Function &F : M)
      if (!F.isDeclaration()) {
        // One end, which all lanes reach together.
        FAM.invalidate(F, UnifyFunctionExitNodesPass().run(F, FAM));
        Counting(F, FAM).run(*Sums);
      }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

/// Last, when everything is optimised and inlined: nobody would slow down the
/// kernel by what the counting hides from the optimiser.
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "count-blocks", LLVM_VERSION_STRING,
          [](PassBuilder &PB) {
            PB.registerOptimizerLastEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel,
                   ThinOrFullLTOPhase) { MPM.addPass(CountBlocksPass()); });
          }};
}
