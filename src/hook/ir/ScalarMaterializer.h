// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes scalar values of LLVM IR anew with what scalar units have:
// arithmetic on integers of 32 and 64 bits, comparisons that yield 1 or 0, and
// choices by such a number.
#ifndef LUTHIER_HOOK_IR_SCALARMATERIALIZER_H
#define LUTHIER_HOOK_IR_SCALARMATERIALIZER_H

#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace luthier {

class ScalarMaterializer {
public:
  explicit ScalarMaterializer(ScalarAnalysis &Scalars) : Scalars(Scalars) {}

  /// \p V, which is scalar, in a form that LLVM selects scalar instructions
  /// for: itself if it has it already.
  llvm::Value *materialize(llvm::Value *V);
  /// 1 or 0, of 32 bits.
  llvm::Value *condition(llvm::Value *V) { return number(V); }

private:
  using Words = llvm::SmallVector<llvm::Value *, 4>;

  bool isPlain(llvm::Value &V);
  llvm::Value *number(llvm::Value *V);
  Words words(llvm::Value *V);
  llvm::Value *compute(llvm::IRBuilderBase &B, llvm::Instruction &I);
  llvm::Value *arithmetic(llvm::IRBuilderBase &B, llvm::Instruction &I);
  llvm::Value *call(llvm::IRBuilderBase &B, llvm::CallInst &Call);
  llvm::Value *address(llvm::IRBuilderBase &B, llvm::Instruction &I);
  llvm::Value *signedNumber(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *element(llvm::IRBuilderBase &B, const Words &All, unsigned Index,
                       unsigned Bits);
  void setElement(llvm::IRBuilderBase &B, Words &All, unsigned Index,
                  unsigned Bits, llvm::Value *New);
  Words computeWords(llvm::IRBuilderBase &B, llvm::Instruction &I);
  llvm::Value *joinWords(llvm::IRBuilderBase &B, const Words &All,
                         llvm::Type &T);

  ScalarAnalysis &Scalars;
  /// Integers of 32 or 64 bits; what is narrower has zeros above.
  llvm::DenseMap<llvm::Value *, llvm::Value *> Numbers;
  /// Of tuples, in words of 32 bits.
  llvm::DenseMap<llvm::Value *, Words> Tuples;
  llvm::DenseMap<llvm::Value *, bool> Plain;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_SCALARMATERIALIZER_H
