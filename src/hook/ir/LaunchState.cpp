// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/LaunchState.h"
#include "hook/ir/Placeholders.h"
#include "luthier/Refusal.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

SmallVector<HiddenArgumentLoad, 1>
hiddenArgumentsAt(int64_t Offset, unsigned Bytes, unsigned Version) {
  SmallVector<HiddenArgumentLoad, 1> Found;
  for (auto [Index, Info] : enumerate(hiddenArguments())) {
    const int64_t First = Info.offset(Version);
    if (First >= 0 && Offset + Bytes > First && Offset < First + Info.Bytes)
      Found.push_back({HiddenArgument(Index), int(First - Offset)});
  }
  return Found;
}

unsigned codeObjectVersion(const Function &F) {
  auto *Flag = mdconst::extract_or_null<ConstantInt>(
      F.getParent()->getModuleFlag("amdhsa_code_object_version"));
  return Flag ? Flag->getZExtValue() : 400;
}

/// Takes the pointer as a value, and reads nothing through it.
static bool onlyTakes(const Use &U) {
  const User *I = U.getUser();
  if (const auto *Store = dyn_cast<StoreInst>(I))
    return U.getOperandNo() != Store->getPointerOperandIndex();
  return isa<PtrToIntInst, ICmpInst, AssumeInst>(I);
}

SmallVector<std::pair<Instruction *, int64_t>, 4>
loadsFrom(CallInst &Pointer, bool &HasOtherReads) {
  SmallVector<std::pair<Instruction *, int64_t>, 4> Loads;
  SmallVector<std::pair<Instruction *, int64_t>, 4> Work{{&Pointer, 0}};
  const DataLayout &DL = Pointer.getDataLayout();
  while (!Work.empty()) {
    auto [From, Offset] = Work.pop_back_val();
    for (Use &U : From->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      APInt Distance(64, Offset);
      if (isa<LoadInst>(I))
        Loads.emplace_back(I, Offset);
      else if (auto *GEP = dyn_cast<GetElementPtrInst>(I);
               GEP && GEP->getPointerOperand() == From &&
               GEP->accumulateConstantOffset(DL, Distance))
        Work.emplace_back(GEP, Distance.getSExtValue());
      else if (isa<AddrSpaceCastInst>(I))
        Work.emplace_back(I, Offset);
      else
        HasOtherReads |= !onlyTakes(U);
    }
  }
  return Loads;
}

std::optional<LaunchValue> launchValueOf(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  switch (Callee ? Callee->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::amdgcn_workitem_id_x:
  case Intrinsic::amdgcn_workitem_id_y:
  case Intrinsic::amdgcn_workitem_id_z:
    return LaunchValue{true, std::nullopt};
  case Intrinsic::amdgcn_workgroup_id_x:
    return LaunchValue{false, StateValue::WorkgroupIdX};
  case Intrinsic::amdgcn_workgroup_id_y:
    return LaunchValue{false, StateValue::WorkgroupIdY};
  case Intrinsic::amdgcn_workgroup_id_z:
    return LaunchValue{false, StateValue::WorkgroupIdZ};
  case Intrinsic::amdgcn_dispatch_ptr:
    return LaunchValue{false, StateValue::DispatchPtr};
  case Intrinsic::amdgcn_dispatch_id:
    return LaunchValue{false, StateValue::DispatchId};
  case Intrinsic::amdgcn_queue_ptr:
    return LaunchValue{false, StateValue::QueuePtr};
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
    return LaunchValue{false, StateValue::KernargPtr};
  default:
    return std::nullopt;
  }
}

namespace {

class LaunchStateLowering {
public:
  LaunchStateLowering(const PayloadABI &ABI, Payload &Result)
      : ABI(ABI), Result(Result) {}
  Error lower(CallInst &Call, const LaunchValue &Value);

private:
  Value *workItemId(IRBuilderBase &B, Intrinsic::ID ID);
  Value *state(IRBuilderBase &B, StateValue Value, Type *To);
  Expected<int> placeOf(const Instruction &Load, int64_t Offset) const;
  Error redirectHiddenArguments(CallInst &Pointer);

  const PayloadABI &ABI;
  Payload &Result;
};

Value *LaunchStateLowering::workItemId(IRBuilderBase &B, Intrinsic::ID ID) {
  Result.UsesWorkItemIds = true;
  Value *Packed = readWorkItemIds(B);
  if (ID == Intrinsic::amdgcn_workitem_id_y)
    Packed = B.CreateLShr(Packed, 10);
  else if (ID == Intrinsic::amdgcn_workitem_id_z)
    Packed = B.CreateLShr(Packed, 20);
  return B.CreateAnd(Packed, 0x3ff);
}

Value *LaunchStateLowering::state(IRBuilderBase &B, StateValue Value,
                                  Type *To) {
  Result.UsesState = true;
  Result.StateValues |= stateBit(Value);
  const LaneRange Lanes = lanesOf(Value);
  llvm::Value *Bits = readConstantLane(B, Lanes.First);
  if (Lanes.Count == 1)
    return Bits;
  llvm::Value *High =
      B.CreateZExt(readConstantLane(B, Lanes.First + 1), B.getInt64Ty());
  Bits = B.CreateOr(B.CreateZExt(Bits, B.getInt64Ty()), B.CreateShl(High, 32));
  return To->isPointerTy() ? B.CreateIntToPtr(Bits, To) : Bits;
}

/// Where in the kernel's arguments there is what \p Load reads.
Expected<int> LaunchStateLowering::placeOf(const Instruction &Load,
                                           int64_t Offset) const {
  const unsigned Bytes = Load.getDataLayout().getTypeStoreSize(Load.getType());
  const auto Arguments =
      hiddenArgumentsAt(Offset, Bytes, codeObjectVersion(*Load.getFunction()));
  if (Arguments.empty())
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook reads an unknown implicit argument at offset " +
                      Twine(Offset));
  std::optional<int> Place;
  for (const HiddenArgumentLoad &A : Arguments) {
    auto Where = ABI.HiddenArguments.find(A.Argument);
    if (Where == ABI.HiddenArguments.end())
      return refuse(RefusalReason::UnsupportedHook,
                    Twine("a hook needs ") + infoOf(A.Argument).ValueKind +
                        ", which the kernel is not given");
    int ItsPlace = int(Where->second) - A.Distance;
    if (infoOf(A.Argument).Source == HiddenSource::Redirection)
      ItsPlace += ABI.Module.LaunchArguments;
    if (Place && *Place != ItsPlace)
      return refuse(RefusalReason::UnsupportedHook,
                    Twine("a hook reads ") + infoOf(A.Argument).ValueKind +
                        " together with what is not beside it in the kernel");
    Place = ItsPlace;
  }
  return *Place;
}

/// The kernel's hidden arguments lie where its own compilation put them.
Error LaunchStateLowering::redirectHiddenArguments(CallInst &Pointer) {
  bool HasOtherReads = false;
  const auto Loads = loadsFrom(Pointer, HasOtherReads);
  if (HasOtherReads)
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook reads implicit arguments otherwise than at fixed "
                  "offsets");
  if (Loads.empty())
    return Error::success();
  // One base for all, so that LLVM joins loads of neighbours.
  IRBuilder<> AtPointer(&Pointer);
  Value *Kernarg = state(AtPointer, StateValue::KernargPtr, Pointer.getType());
  for (auto [Load, Offset] : Loads) {
    Expected<int> Place = placeOf(*Load, Offset);
    if (!Place)
      return Place.takeError();
    IRBuilder<> B(Load);
    Type *To = getLoadStorePointerOperand(Load)->getType();
    Value *Address = B.CreateConstGEP1_64(B.getInt8Ty(), Kernarg, *Place);
    if (To != Address->getType())
      Address = B.CreateAddrSpaceCast(Address, To);
    Load->setOperand(LoadInst::getPointerOperandIndex(), Address);
    // Nobody writes there; see payloadLeaves().
    Load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(Load->getContext(), {}));
  }
  return Error::success();
}

Error LaunchStateLowering::lower(CallInst &Call, const LaunchValue &Value) {
  const Intrinsic::ID ID = Call.getCalledFunction()->getIntrinsicID();
  if (Value.WorkItemIds ? !ABI.WorkItemIds : !ABI.State)
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook reads launch state with " +
                      Call.getCalledFunction()->getName());
  IRBuilder<> B(&Call);
  llvm::Value *New;
  if (Value.WorkItemIds) {
    New = workItemId(B, ID);
  } else {
    if (ID == Intrinsic::amdgcn_implicitarg_ptr) {
      if (Error E = redirectHiddenArguments(Call))
        return E;
    }
    New = state(B, *Value.State, Call.getType());
    if (ID == Intrinsic::amdgcn_implicitarg_ptr)
      New = B.CreateConstGEP1_64(B.getInt8Ty(), New,
                                 alignTo(ABI.ExplicitKernargSize, 8));
  }
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return Error::success();
}

} // namespace

Error LaunchStatePass::run(Function &F, PassContext &C) {
  LaunchStateLowering Lowering(C.ABI, C.Payloads[F.getName()]);
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && launchValueOf(*Call))
      Calls.push_back(Call);
  for (CallInst *Call : Calls)
    if (Error E = Lowering.lower(*Call, *launchValueOf(*Call)))
      return E;
  return Error::success();
}

} // namespace luthier
