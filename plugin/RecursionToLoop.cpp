// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecursionToLoop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace luthier {
namespace {

/// Where the function calls itself: \p Before ends with the call, what follows
/// it is in a block of its own.
struct RecursiveCall {
  CallInst *Call;
  BasicBlock *Before, *After;
};

class RecursionToLoop {
public:
  RecursionToLoop(Function &F, unsigned MaxDepth) : F(F), MaxDepth(MaxDepth) {}
  const char *run();

private:
  const char *findObstacle() const;
  void splitAtCalls();
  void makeEntry();
  void demoteValues();
  bool isLiveAcrossCall(const Instruction &Value) const;
  void moveToFrames();
  Value *fieldOf(IRBuilderBase &B, Value *Depth, unsigned Field);
  void lowerCall(unsigned Index);
  void lowerReturns();
  void dispatch();

  Function &F;
  const unsigned MaxDepth;
  SmallVector<RecursiveCall, 4> Calls;
  SmallVector<AllocaInst *, 8> Locals; ///< The function's own.
  BasicBlock *Body = nullptr;          ///< The function's own first block.
  BasicBlock *Entry = nullptr;         ///< In front of it.
  BasicBlock *Header = nullptr;        ///< Chooses where to go on.
  BasicBlock *Return = nullptr;        ///< Ends an activation.
  /// Variables of the loop, not of an activation.
  AllocaInst *Depth = nullptr, *Next = nullptr, *Result = nullptr;
  /// Fields of an activation's frame: where the one below goes on, the
  /// arguments, the rest. Until there is a frame, these are locals.
  SmallVector<AllocaInst *, 16> Fields;
  SmallVector<uint64_t, 16> Offsets;
  AllocaInst *Frames = nullptr;
};

const char *RecursionToLoop::findObstacle() const {
  for (const Argument &A : F.args())
    if (A.hasPassPointeeByValueCopyAttr())
      return "takes a large structure by value";
  for (const Instruction &I : instructions(F)) {
    if (auto *Local = dyn_cast<AllocaInst>(&I);
        Local && !Local->isStaticAlloca())
      return "has a local variable of a size that is not constant";
    if (isa<CallBrInst>(I))
      return "uses luthier::writeExec";
  }
  return nullptr;
}

void RecursionToLoop::splitAtCalls() {
  SmallVector<CallInst *, 4> Found;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I)) {
      if (Call->getCalledFunction() == &F)
        Found.push_back(Call);
      else if (Call->isLifetimeStartOrEnd())
        Call->eraseFromParent(); // Fields are there all the time.
    } else if (auto *Local = dyn_cast<AllocaInst>(&I)) {
      Locals.push_back(Local);
    }
  for (CallInst *Call : Found)
    Calls.push_back(
        {Call, nullptr,
         SplitBlock(Call->getParent(), Call->getNextNode()->getIterator())});
  // Now no block will be split again.
  for (RecursiveCall &C : Calls)
    C.Before = C.Call->getParent();
}

/// Arguments and results go through memory.
void RecursionToLoop::makeEntry() {
  Body = &F.getEntryBlock();
  Entry = BasicBlock::Create(F.getContext(), "", &F, Body);
  IRBuilder<> B(Entry);
  auto *Int32 = B.getInt32Ty();
  Depth = B.CreateAlloca(Int32);
  Next = B.CreateAlloca(Int32);
  if (!F.getReturnType()->isVoidTy())
    Result = B.CreateAlloca(F.getReturnType());
  Fields.push_back(B.CreateAlloca(Int32));
  IRBuilder<> InBody(Body, Body->getFirstNonPHIOrDbgOrAlloca());
  for (Argument &A : F.args()) {
    AllocaInst *Field = B.CreateAlloca(A.getType());
    Fields.push_back(Field);
    A.replaceAllUsesWith(InBody.CreateLoad(A.getType(), Field));
  }
  append_range(Fields, Locals);
  B.CreateBr(Body);
  for (const RecursiveCall &C : Calls)
    if (Result) {
      IRBuilder<> Behind(C.After, C.After->begin());
      C.Call->replaceAllUsesWith(Behind.CreateLoad(F.getReturnType(), Result));
    }
}

/// May a use of \p Value be reached through a call behind it?
bool RecursionToLoop::isLiveAcrossCall(const Instruction &Value) const {
  auto reaches = [](const BasicBlock *From, const BasicBlock *To) {
    return From == To || isPotentiallyReachable(From, To);
  };
  return any_of(Calls, [&](const RecursiveCall &C) {
    return reaches(Value.getParent(), C.Before) &&
           any_of(Value.uses(), [&](const Use &U) {
             auto *User = cast<Instruction>(U.getUser());
             auto *PHI = dyn_cast<PHINode>(User);
             return reaches(C.After,
                            PHI ? PHI->getIncomingBlock(U) : User->getParent());
           });
  });
}

static bool leavesBlock(const Instruction &Value) {
  return any_of(Value.users(), [&](const User *U) {
    return isa<PHINode>(U) ||
           cast<Instruction>(U)->getParent() != Value.getParent();
  });
}

/// Between blocks, values live in memory: in frames if a call comes between.
void RecursionToLoop::demoteValues() {
  SmallVector<std::pair<Instruction *, bool>, 16> Leaving;
  SmallVector<PHINode *, 8> PHIs;
  for (Instruction &I : instructions(F)) {
    if (I.getParent() == Entry || isa<AllocaInst>(I))
      continue;
    if (leavesBlock(I))
      Leaving.emplace_back(&I, isLiveAcrossCall(I));
    if (auto *PHI = dyn_cast<PHINode>(&I))
      PHIs.push_back(PHI);
  }
  const auto Point = Entry->getTerminator()->getIterator();
  for (auto [I, NeedsField] : Leaving)
    if (AllocaInst *Slot = DemoteRegToStack(*I, false, Point);
        Slot && NeedsField)
      Fields.push_back(Slot);
  for (PHINode *PHI : PHIs)
    DemotePHIToStack(PHI, Point);
}

Value *RecursionToLoop::fieldOf(IRBuilderBase &B, Value *Depth,
                                unsigned Field) {
  Value *Frame = B.CreateInBoundsGEP(
      cast<ArrayType>(Frames->getAllocatedType())->getElementType(), Frames,
      Depth);
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, Offsets[Field]);
}

void RecursionToLoop::moveToFrames() {
  const DataLayout &DL = F.getDataLayout();
  uint64_t Size = 0;
  Align Alignment;
  for (AllocaInst *Field : Fields) {
    Offsets.push_back(alignTo(Size, Field->getAlign()));
    Size = Offsets.back() + *Field->getAllocationSize(DL);
    Alignment = std::max(Alignment, Field->getAlign());
  }
  IRBuilder<> B(Entry, Entry->begin());
  Frames = B.CreateAlloca(ArrayType::get(
      ArrayType::get(B.getInt8Ty(), alignTo(Size, Alignment)), MaxDepth));
  Frames->setAlignment(Alignment);
  for (auto [Number, Field] : enumerate(Fields)) {
    for (User *U : make_early_inc_range(Field->users())) {
      IRBuilder<> AtUse(cast<Instruction>(U));
      Value *Now = AtUse.CreateLoad(AtUse.getInt32Ty(), Depth);
      U->replaceUsesOfWith(Field, fieldOf(AtUse, Now, Number));
    }
    Field->eraseFromParent();
  }
}

///   if (Depth + 1 < MaxDepth) { a frame more; goto the function's start }
///   else Result = 0
void RecursionToLoop::lowerCall(unsigned Index) {
  auto [Call, Before, After] = Calls[Index];
  BasicBlock *Deeper = BasicBlock::Create(F.getContext(), "", &F, After);
  BasicBlock *TooDeep = BasicBlock::Create(F.getContext(), "", &F, After);
  IRBuilder<> B(Call);
  Value *Below =
      B.CreateAdd(B.CreateLoad(B.getInt32Ty(), Depth), B.getInt32(1));
  B.CreateCondBr(B.CreateICmpULT(Below, B.getInt32(MaxDepth)), Deeper, TooDeep);
  B.SetInsertPoint(Deeper);
  B.CreateStore(B.getInt32(Index + 1), fieldOf(B, Below, 0));
  for (auto [Number, Argument] : enumerate(Call->args()))
    B.CreateStore(Argument, fieldOf(B, Below, Number + 1));
  B.CreateStore(Below, Depth);
  B.CreateStore(B.getInt32(0), Next);
  B.CreateBr(Header);
  B.SetInsertPoint(TooDeep);
  if (Result)
    B.CreateStore(Constant::getNullValue(F.getReturnType()), Result);
  B.CreateBr(After);
  Before->getTerminator()->eraseFromParent();
  Call->eraseFromParent();
}

void RecursionToLoop::lowerReturns() {
  Return = BasicBlock::Create(F.getContext(), "", &F);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Old = dyn_cast<ReturnInst>(&I)) {
      IRBuilder<> B(Old);
      if (Result)
        B.CreateStore(Old->getReturnValue(), Result);
      B.CreateBr(Return);
      Old->eraseFromParent();
    }
}

void RecursionToLoop::dispatch() {
  BasicBlock *Up = BasicBlock::Create(F.getContext(), "", &F);
  BasicBlock *Exit = BasicBlock::Create(F.getContext(), "", &F);
  IRBuilder<> B(Return);
  auto *Int32 = B.getInt32Ty();
  Value *Here = B.CreateLoad(Int32, Depth);
  B.CreateCondBr(B.CreateIsNull(Here), Exit, Up);
  B.SetInsertPoint(Up);
  B.CreateStore(B.CreateLoad(Int32, fieldOf(B, Here, 0)), Next);
  B.CreateStore(B.CreateSub(Here, B.getInt32(1)), Depth);
  B.CreateBr(Header);
  B.SetInsertPoint(Exit);
  if (Result)
    B.CreateRet(B.CreateLoad(F.getReturnType(), Result));
  else
    B.CreateRetVoid();
  B.SetInsertPoint(Header);
  auto *Choice = B.CreateSwitch(B.CreateLoad(Int32, Next), Body, Calls.size());
  for (auto [Index, C] : enumerate(Calls))
    Choice->addCase(B.getInt32(Index + 1), C.After);
  Instruction *OldJump = Entry->getTerminator();
  B.SetInsertPoint(OldJump);
  for (auto [Number, A] : enumerate(F.args()))
    B.CreateStore(&A, fieldOf(B, B.getInt32(0), Number + 1));
  B.CreateStore(B.getInt32(0), Depth);
  B.CreateStore(B.getInt32(0), Next);
  B.CreateBr(Header);
  OldJump->eraseFromParent();
}

const char *RecursionToLoop::run() {
  if (const char *Obstacle = findObstacle())
    return Obstacle;
  splitAtCalls();
  makeEntry();
  Header = BasicBlock::Create(F.getContext(), "", &F, Body);
  lowerReturns();
  demoteValues();
  moveToFrames();
  for (unsigned Index = 0; Index < Calls.size(); ++Index)
    lowerCall(Index);
  dispatch();
  return nullptr;
}

} // namespace

const char *makeLoopOfRecursion(Function &F, unsigned MaxDepth) {
  return RecursionToLoop(F, MaxDepth).run();
}

} // namespace luthier
