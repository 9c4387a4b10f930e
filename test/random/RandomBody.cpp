// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomBody.h"

using namespace llvm;

namespace luthier::test {

Body::Body(Dice &D, Function &F, ArrayRef<Function *> Callees)
    : D(D), F(F), Callees(Callees),
      B(BasicBlock::Create(F.getContext(), "entry", &F)), I32(B.getInt32Ty()) {}

void Body::addVariables(unsigned Count, ArrayRef<Value *> Initial) {
  for (unsigned N = 0; N != Count; ++N)
    Variables.push_back(B.CreateAlloca(I32, /*AddrSpace=*/5, nullptr));
  if (D.chance(25))
    Array = B.CreateAlloca(ArrayType::get(I32, ArrayWords), /*AddrSpace=*/5,
                           nullptr);
  for (unsigned N = 0; N != Count; ++N) {
    Value *V = Initial[N % Initial.size()];
    B.CreateStore(N < Initial.size() ? V : B.CreateXor(V, D.bits()),
                  Variables[N]);
  }
  for (unsigned N = 0; Array && N != ArrayWords; ++N)
    B.CreateStore(any(), B.CreateConstGEP1_32(I32, Array, N));
}

Value *Body::condition() {
  constexpr CmpInst::Predicate Predicates[] = {
      CmpInst::ICMP_EQ, CmpInst::ICMP_ULT, CmpInst::ICMP_SGT, CmpInst::ICMP_NE};
  Value *A = B.CreateAnd(any(), 15);
  return B.CreateICmp(Predicates[D.below(4)], A, B.getInt32(D.below(16)));
}

void Body::branch(unsigned Depth) {
  BasicBlock *Then = block("then"), *Else = block("else"), *End = block("end");
  B.CreateCondBr(condition(), Then, Else);
  B.SetInsertPoint(Then);
  statements(D.between(1, 4), Depth + 1);
  B.CreateBr(End);
  B.SetInsertPoint(Else);
  if (D.chance(60))
    statements(D.between(1, 4), Depth + 1);
  B.CreateBr(End);
  B.SetInsertPoint(End);
}

/// Some cases fall through into the next.
void Body::choice(unsigned Depth) {
  BasicBlock *End = block("end");
  SwitchInst *Switch = B.CreateSwitch(B.CreateAnd(any(), 7), End);
  SmallVector<BasicBlock *> Cases;
  for (unsigned N = 0, Count = D.between(2, 5); N != Count; ++N) {
    Cases.push_back(block("case"));
    Switch->addCase(B.getInt32(N), Cases.back());
  }
  Cases.push_back(End);
  for (unsigned N = 0; N + 1 != Cases.size(); ++N) {
    B.SetInsertPoint(Cases[N]);
    statements(D.between(1, 3), Depth + 1);
    B.CreateBr(D.chance(30) ? Cases[N + 1] : End);
  }
  B.SetInsertPoint(End);
}

/// While lanes have turns left, at most five.
void Body::loop(unsigned Depth) {
  BasicBlock *Head = block("head"), *Inner = block("inner"),
             *End = block("end");
  Value *Trips = B.CreateURem(any(), B.getInt32(D.between(1, 6)));
  BasicBlock *Before = B.GetInsertBlock();
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *N = B.CreatePHI(I32, 2);
  N->addIncoming(B.getInt32(0), Before);
  B.CreateCondBr(B.CreateICmpULT(N, Trips), Inner, End);
  B.SetInsertPoint(Inner);
  statements(D.between(1, 5), Depth + 1);
  if (D.chance(25)) {
    BasicBlock *On = block("on");
    B.CreateCondBr(condition(), End, On);
    B.SetInsertPoint(On);
  }
  N->addIncoming(B.CreateAdd(N, B.getInt32(1)), B.GetInsertBlock());
  B.CreateBr(Head);
  B.SetInsertPoint(End);
}

void Body::statements(unsigned Count, unsigned Depth) {
  for (unsigned N = 0; N != Count; ++N) {
    const unsigned What = D.below(20);
    if (What < 2 && Depth < 3)
      branch(Depth);
    else if (What == 2 && Depth < 3)
      choice(Depth);
    else if (What < 5 && Depth < 2)
      loop(Depth);
    else
      B.CreateStore(operation(), pick());
  }
}

void Body::graph(unsigned NumBlocks) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  Value *Fuel = Entry.CreateAlloca(I32, /*AddrSpace=*/5, nullptr);
  // Lanes take their turns one after the other, in the worst case.
  B.CreateStore(B.getInt32(D.between(3, 8)), Fuel);
  SmallVector<BasicBlock *> Blocks;
  for (unsigned N = 0; N != NumBlocks; ++N)
    Blocks.push_back(block("node"));
  BasicBlock *End = block("out");
  auto anyBlock = [&] { return Blocks[D.below(NumBlocks)]; };
  B.CreateCondBr(condition(), anyBlock(), anyBlock());
  for (BasicBlock *Node : Blocks) {
    B.SetInsertPoint(Node);
    statements(D.between(1, 4), 2);
    Value *Left = B.CreateSub(B.CreateLoad(I32, Fuel), B.getInt32(1));
    B.CreateStore(Left, Fuel);
    BasicBlock *On = block("on");
    B.CreateCondBr(B.CreateICmpEQ(Left, B.getInt32(0)), End, On);
    B.SetInsertPoint(On);
    B.CreateCondBr(condition(), anyBlock(), anyBlock());
  }
  B.SetInsertPoint(End);
}

void Body::dynamicStack() {
  Value *Count = B.CreateAdd(B.CreateAnd(any(), 15), B.getInt32(2));
  AllocaInst *Memory = B.CreateAlloca(I32, /*AddrSpace=*/5, Count);
  Memory->setAlignment(Align(4u << D.below(5)));
  B.CreateStore(any(), Memory);
  Value *Last = B.CreateGEP(I32, Memory, B.CreateSub(Count, B.getInt32(1)));
  B.CreateStore(any(), Last);
  B.CreateStore(B.CreateXor(B.CreateLoad(I32, Memory), any()), pick());
  B.CreateStore(B.CreateLoad(I32, Last), pick());
}

} // namespace luthier::test
