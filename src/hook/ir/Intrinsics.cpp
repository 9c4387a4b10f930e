// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/Intrinsics.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

StringRef intrinsicName(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee ? Callee->getFnAttribute(IntrinsicAttribute).getValueAsString()
                : StringRef();
}

bool namesCounter(StringRef Name) {
  return Name == WaveAddIntrinsic || Name == WaveAddLowIntrinsic ||
         Name == WaveAddWideIntrinsic || Name == WaveSetHalfIntrinsic ||
         Name == WaveCounterIntrinsic;
}

bool namesLaneCounter(StringRef Name) {
  return Name == LaneCountIntrinsic || Name == LaneCounterIntrinsic;
}

bool namesRegister(StringRef Name) {
  return Name == ReadRegIntrinsic || Name == WriteRegIntrinsic;
}

CallInst *callIntrinsic(IRBuilderBase &B, StringRef Name, Type *Result,
                        ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 2> Types;
  std::string FullName;
  raw_string_ostream OS(FullName);
  OS << Name << '.' << *Result;
  for (Value *V : Arguments) {
    Types.push_back(V->getType());
    OS << '.' << *V->getType();
  }
  FunctionCallee Callee = B.GetInsertBlock()->getModule()->getOrInsertFunction(
      FullName, FunctionType::get(Result, Types, false));
  auto *F = cast<Function>(Callee.getCallee());
  F->addFnAttr(IntrinsicAttribute, Name);
  F->addFnAttr(Attribute::Convergent);
  F->addFnAttr(Attribute::NoUnwind);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return B.CreateCall(Callee, Arguments);
}

} // namespace luthier
