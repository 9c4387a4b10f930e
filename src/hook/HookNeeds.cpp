// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadIR.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace luthier {

ModuleLayout HookNeeds::add(const HookNeeds &Module) {
  const unsigned LdsOffset = alignTo(LdsBytes, Module.LdsAlign);
  const ModuleLayout Layout{LdsOffset, Accumulators};
  StateValues |= Module.StateValues;
  State |= Module.State;
  WritesState |= Module.WritesState;
  WorkItemIds |= Module.WorkItemIds;
  Stack |= Module.Stack;
  Float |= Module.Float;
  HiddenArguments |= Module.HiddenArguments;
  if (Module.LdsBytes)
    LdsBytes = LdsOffset + Module.LdsBytes;
  LdsAlign = std::max(LdsAlign, Module.LdsAlign);
  Accumulators += Module.Accumulators;
  Named.insert(Module.Named.begin(), Module.Named.end());
  return Layout;
}

namespace {

class NeedsScan {
public:
  Error scan(const Function &F);
  HookNeeds finish();

private:
  void noteState(StateValue Value) {
    Needs.State = true;
    Needs.StateValues |= stateBit(Value);
  }
  void noteOperand(const Value &V);
  void noteCall(const CallBase &Call);
  static bool dependsOnMode(const Instruction &I);

  HookNeeds Needs;
  SmallPtrSet<const GlobalVariable *, 4> Shared;
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

void NeedsScan::noteOperand(const Value &V) {
  if (auto *G = dyn_cast<GlobalVariable>(&V)) {
    if (G->getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS) {
      Shared.insert(G);
      noteState(StateValue::LdsBase);
    }
  } else if (auto *C = dyn_cast<ConstantExpr>(&V)) {
    for (const Use &U : C->operands())
      noteOperand(*U);
  }
}

void NeedsScan::noteCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee) {
    Needs.Stack |= !Call.isInlineAsm();
    return;
  }
  if (Callee->hasFnAttribute("luthier_intrinsic")) {
    StringRef Name =
        Callee->getFnAttribute("luthier_intrinsic").getValueAsString();
    if (Name != ArgumentIntrinsic && Call.arg_size())
      if (auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
        Needs.Named.insert(Number->getZExtValue());
    return;
  }
  switch (Callee->getIntrinsicID()) {
  case Intrinsic::not_intrinsic:
    Needs.Stack = true;
    return;
  case Intrinsic::amdgcn_workitem_id_x:
  case Intrinsic::amdgcn_workitem_id_y:
  case Intrinsic::amdgcn_workitem_id_z:
    Needs.WorkItemIds = true;
    return;
  case Intrinsic::amdgcn_workgroup_id_x:
    return noteState(StateValue::WorkgroupIdX);
  case Intrinsic::amdgcn_workgroup_id_y:
    return noteState(StateValue::WorkgroupIdY);
  case Intrinsic::amdgcn_workgroup_id_z:
    return noteState(StateValue::WorkgroupIdZ);
  case Intrinsic::amdgcn_dispatch_ptr:
    return noteState(StateValue::DispatchPtr);
  case Intrinsic::amdgcn_dispatch_id:
    return noteState(StateValue::DispatchId);
  case Intrinsic::amdgcn_queue_ptr:
    return noteState(StateValue::QueuePtr);
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
    return noteState(StateValue::KernargPtr);
  default:
    return;
  }
}

Error NeedsScan::scan(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    Needs.Float |= dependsOnMode(I);
    Needs.Stack |= isa<AllocaInst>(I);
    for (const Use &Operand : I.operands())
      noteOperand(*Operand);
    if (auto *Call = dyn_cast<CallBase>(&I))
      noteCall(*Call);
  }
  return Error::success();
}

HookNeeds NeedsScan::finish() {
  for (const GlobalVariable *G : Shared) {
    const DataLayout &DL = G->getDataLayout();
    const unsigned Align = G->getAlign().valueOrOne().value();
    Needs.LdsAlign = std::max(Needs.LdsAlign, Align);
    Needs.LdsBytes =
        alignTo(Needs.LdsBytes, Align) + DL.getTypeAllocSize(G->getValueType());
  }
  return std::move(Needs);
}

} // namespace

Expected<HookNeeds> needsOf(ArrayRef<Function *> Payloads) {
  NeedsScan Scan;
  for (const Function *F : Payloads)
    if (Error E = Scan.scan(*F))
      return std::move(E);
  return Scan.finish();
}

} // namespace luthier
