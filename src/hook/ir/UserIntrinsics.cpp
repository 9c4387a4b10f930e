// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/UserIntrinsics.h"
#include "hook/ir/Intrinsics.h"
#include "luthier/IntrinsicLowering.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;

namespace luthier {
namespace {

struct Registry {
  std::mutex Mutex;
  StringMap<IntrinsicLowering> Lowerings;

  /// A tool may still be unloading when static objects are destroyed.
  static Registry &get() {
    static Registry &R = *new Registry;
    return R;
  }
};

IntrinsicLowering registered(StringRef Name) {
  Registry &R = Registry::get();
  std::lock_guard Lock(R.Mutex);
  return R.Lowerings.lookup(Name);
}

Error expand(CallInst &Call, const IntrinsicLowering &Lowering) {
  IRBuilder<> B(&Call);
  IntrinsicCall View(Call, B);
  Expected<Value *> New = Lowering(View);
  if (!New)
    return refuse(RefusalReason::UnsupportedHook,
                  intrinsicName(Call) + ": " + toString(New.takeError()));
  if (!Call.getType()->isVoidTy()) {
    if (!*New || (*New)->getType() != Call.getType())
      return refuse(RefusalReason::UnsupportedHook,
                    "the lowering of " + intrinsicName(Call) +
                        " returns a value of another type");
    Call.replaceAllUsesWith(*New);
  }
  Call.eraseFromParent();
  return Error::success();
}

} // namespace

Value *IntrinsicCall::argument(unsigned I) const {
  return Call.getArgOperand(I);
}

unsigned IntrinsicCall::arguments() const { return Call.arg_size(); }

Type *IntrinsicCall::resultType() const { return Call.getType(); }

StringRef IntrinsicCall::processor() const {
  return Call.getFunction()->getFnAttribute("target-cpu").getValueAsString();
}

Value *IntrinsicCall::readReg(unsigned Reg, Type *As) {
  return callIntrinsic(Builder, ReadRegIntrinsic, As, Builder.getInt32(Reg));
}

void IntrinsicCall::writeReg(unsigned Reg, Value *Value) {
  callIntrinsic(Builder, WriteRegIntrinsic, Builder.getVoidTy(),
                {Builder.getInt32(Reg), Value});
}

void registerIntrinsic(StringRef QualifiedName, IntrinsicLowering Lowering) {
  Registry &R = Registry::get();
  std::lock_guard Lock(R.Mutex);
  R.Lowerings[QualifiedName] = std::move(Lowering);
}

bool hasRegisteredIntrinsics() {
  Registry &R = Registry::get();
  std::lock_guard Lock(R.Mutex);
  return any_of(R.Lowerings, [](const auto &Each) { return !!Each.second; });
}

bool usesRegisteredIntrinsics(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.hasFnAttribute(IntrinsicAttribute) &&
           registered(F.getFnAttribute(IntrinsicAttribute).getValueAsString());
  });
}

Error UserIntrinsicPass::run(Function &F, PassContext &) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      StringRef Name = Call ? intrinsicName(*Call) : StringRef();
      IntrinsicLowering Lowering = Name.empty() ? nullptr : registered(Name);
      if (!Lowering)
        continue;
      if (Error E = expand(*Call, Lowering))
        return E;
      Changed = true; // The walk is over: instructions came and went.
      break;
    }
  }
  return Error::success();
}

} // namespace luthier
