// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ExecWriteCheck.h"
#include "hook/ir/Intrinsics.h"
#include "luthier/Refusal.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace luthier {
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
  auto &Cycles = FAM.getResult<CycleAnalysis>(F);
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  for (BasicBlock &Block : F) {
    if (!isa<CallBrInst>(Block.getTerminator()))
      continue;
    for (const Cycle *Of = Cycles.getCycle(&Block); Of;
         Of = Of->getParentCycle()) {
      SmallVector<BasicBlock *, 4> Exiting;
      Of->getExitingBlocks(Exiting);
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

} // namespace luthier
