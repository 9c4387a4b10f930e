// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random function in LLVM IR.
#ifndef LUTHIER_TEST_RANDOM_RANDOMBODY_H
#define LUTHIER_TEST_RANDOM_RANDOMBODY_H

#include "Dice.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace luthier::test {

constexpr unsigned InputWords = 256, SlotWords = 4, ArrayWords = 8;

/// Variables are allocas, which later either become registers or stay in
/// scratch memory. What is computed depends on nothing but the input: lanes
/// that are not active, and the order of waves, do not matter.
class Body {
public:
  Body(Dice &D, llvm::Function &F, llvm::ArrayRef<llvm::Function *> Callees);

  void addVariables(unsigned Count, llvm::ArrayRef<llvm::Value *> Initial);
  void statements(unsigned Count, unsigned Depth);
  /// Blocks with edges to anywhere, loops with several entries among them,
  /// until a lane's fuel is used up.
  void graph(unsigned NumBlocks);
  /// As much memory as is only known when the function runs.
  void dynamicStack();
  /// A matrix operation, for a wave whose lanes are all active.
  void matrix(llvm::Intrinsic::ID Operation);

  llvm::Value *any() { return B.CreateLoad(I32, pick()); }
  llvm::Value *pick() { return Variables[D.below(Variables.size())]; }
  llvm::Value *load(unsigned N) { return B.CreateLoad(I32, Variables[N]); }
  llvm::Value *condition();
  unsigned variables() const { return Variables.size(); }
  llvm::IRBuilder<> &builder() { return B; }
  llvm::BasicBlock *block(const char *Name) {
    return llvm::BasicBlock::Create(F.getContext(), Name, &F);
  }

  /// A buffer of InputWords words; may be null.
  llvm::Value *Input = nullptr;
  /// Two words of global memory that are this work-item's; may be null.
  llvm::Value *Own = nullptr;

private:
  llvm::Value *operation();
  llvm::Value *integers(llvm::Value *X, llvm::Value *Y);
  llvm::Value *floats(llvm::Value *X, llvm::Value *Y);
  llvm::Value *lanes(llvm::Value *X, llvm::Value *Y);
  llvm::Value *memory(llvm::Value *X, llvm::Value *Y);
  llvm::Value *wide(llvm::Value *X, llvm::Value *Y);
  llvm::Value *packed(llvm::Value *X, llvm::Value *Y);
  llvm::Value *indexed(llvm::Value *X);
  llvm::Value *ownMemory(llvm::Value *X);
  llvm::Value *call();
  void branch(unsigned Depth);
  void choice(unsigned Depth);
  void loop(unsigned Depth);

  Dice &D;
  llvm::Function &F;
  llvm::ArrayRef<llvm::Function *> Callees;
  llvm::IRBuilder<> B;
  llvm::Type *I32;
  llvm::SmallVector<llvm::Value *> Variables;
  /// ArrayWords words of scratch memory.
  llvm::Value *Array = nullptr;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMBODY_H
