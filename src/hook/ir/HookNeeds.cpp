// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/HookNeeds.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/KeptNumberCalls.h"
#include "hook/ir/LaunchState.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace luthier {

ModuleLayout HookNeeds::add(const HookNeeds &Module) {
  const unsigned LdsOffset = alignTo(LdsBytes, Module.LdsAlign);
  const ModuleLayout Layout{LdsOffset, Accumulators, LaneCounters, 0};
  StateValues |= Module.StateValues;
  State |= Module.State;
  WorkItemIds |= Module.WorkItemIds;
  FirstWorkItem |= Module.FirstWorkItem;
  Stack |= Module.Stack;
  Float |= Module.Float;
  HiddenArguments |= Module.HiddenArguments;
  if (Module.LdsBytes)
    LdsBytes = LdsOffset + Module.LdsBytes;
  LdsAlign = std::max(LdsAlign, Module.LdsAlign);
  Numbers |= Module.Numbers;
  Accumulators += Module.Accumulators;
  LaneCounters += Module.LaneCounters;
  Named.insert(Module.Named.begin(), Module.Named.end());
  return Layout;
}

namespace {

class NeedsScan {
public:
  HookNeeds scan(Function &F);

private:
  void noteState(StateValue Value) {
    Needs.State = true;
    Needs.StateValues |= stateBit(Value);
  }
  void noteCall(CallInst &Call);
  void noteHiddenArguments(CallInst &Pointer);
  static bool dependsOnMode(const Instruction &I);

  HookNeeds Needs;
};

/// Integer division is done with floating point numbers, too.
bool NeedsScan::dependsOnMode(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return true;
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::PHI:
  case Instruction::BitCast:
  case Instruction::Ret:
    return false;
  default:
    return I.getType()->isFPOrFPVectorTy() ||
           any_of(I.operands(), [](const Use &U) {
             return U->getType()->isFPOrFPVectorTy();
           });
  }
}

void NeedsScan::noteHiddenArguments(CallInst &Pointer) {
  bool HasOtherReads = false;
  const unsigned Version = codeObjectVersion(*Pointer.getFunction());
  for (auto [Load, Offset] : loadsFrom(Pointer, HasOtherReads))
    for (const HiddenArgumentLoad &A : hiddenArgumentsAt(
             Offset, Load->getDataLayout().getTypeStoreSize(Load->getType()),
             Version))
      Needs.HiddenArguments |= hiddenBit(A.Argument);
}

void NeedsScan::noteCall(CallInst &Call) {
  if (std::optional<LaunchValue> Value = launchValueOf(Call)) {
    Needs.WorkItemIds |= Value->WorkItemIds;
    if (Value->State)
      noteState(*Value->State);
    if (Call.getIntrinsicID() == Intrinsic::amdgcn_implicitarg_ptr)
      noteHiddenArguments(Call);
    return;
  }
  StringRef Name = intrinsicName(Call);
  Needs.FirstWorkItem |= Name == FirstWorkItemIntrinsic;
  if (namesLaneCounter(Name))
    if (auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
      Needs.LaneCounters = std::max<unsigned>(
          Needs.LaneCounters, Number->getLimitedValue(MaxLaneCounters - 1) + 1);
  if (std::optional<KeptNumber> Number = keptNumberOf(Call))
    Needs.Numbers.add(*Number);
  if (namesRegister(Name))
    if (auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
      Needs.Named.insert(Number->getZExtValue());
}

HookNeeds NeedsScan::scan(Function &F) {
  for (Instruction &I : instructions(F)) {
    Needs.Float |= dependsOnMode(I);
    Needs.Stack |= isa<AllocaInst>(I);
    if (auto *Call = dyn_cast<CallInst>(&I))
      noteCall(*Call);
  }
  return std::move(Needs);
}

} // namespace

HookNeeds needsOf(Function &F) { return NeedsScan().scan(F); }

} // namespace luthier
