// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ExecWriteCalls.h"
#include "hook/ir/Placeholders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace luthier {
namespace {

/// Writes of \p F that are instructions of \p Kind.
template <typename Kind> SmallVector<Kind *, 4> execWritesIn(Function &F) {
  SmallVector<Kind *, 4> Result;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<Kind>(&I))
      if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
          Asm && Asm->getAsmString() == WriteExecPlaceholder)
        Result.push_back(Call);
  return Result;
}

/// Turns terminators into calls.
class ExecWritesToCalls : public FunctionPass {
public:
  static char ID;
  ExecWritesToCalls() : FunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Luthier EXEC writes to calls";
  }

  bool runOnFunction(Function &F) override {
    const auto Writes = execWritesIn<CallBrInst>(F);
    for (CallBrInst *Write : Writes) {
      IRBuilder<> B(Write);
      SmallVector<Value *, 1> Arguments(Write->args());
      CallInst *Call = B.CreateCall(Write->getFunctionType(),
                                    Write->getCalledOperand(), Arguments);
      Call->setAttributes(Write->getAttributes());
      B.CreateBr(Write->getDefaultDest());
      Write->eraseFromParent();
    }
    if (Writes.empty())
      return false;
    F.addFnAttr(ExecWritesAttribute, std::to_string(Writes.size()));
    return true;
  }
};
char ExecWritesToCalls::ID = 0;

/// And back, each at the end of its block.
class CallsToExecWrites : public FunctionPass {
public:
  static char ID;
  CallsToExecWrites() : FunctionPass(ID) {}
  StringRef getPassName() const override {
    return "Luthier calls to EXEC writes";
  }

  bool runOnFunction(Function &F) override {
    const auto Calls = execWritesIn<CallInst>(F);
    for (CallInst *Call : Calls) {
      BasicBlock *Before = Call->getParent();
      BasicBlock *After =
          Before->splitBasicBlock(std::next(Call->getIterator()));
      Before->getTerminator()->eraseFromParent();
      SmallVector<Value *, 1> Arguments(Call->args());
      auto *Write =
          CallBrInst::Create(Call->getFunctionType(), Call->getCalledOperand(),
                             After, {}, Arguments, "", Before);
      Write->setAttributes(Call->getAttributes());
      Write->setDebugLoc(Call->getDebugLoc());
      Call->eraseFromParent();
    }
    return !Calls.empty();
  }
};
char CallsToExecWrites::ID = 0;

} // namespace

Pass *createExecWritesToCallsPass(PassContext &) {
  return new ExecWritesToCalls;
}

Pass *createCallsToExecWritesPass(PassContext &) {
  return new CallsToExecWrites;
}

} // namespace luthier
