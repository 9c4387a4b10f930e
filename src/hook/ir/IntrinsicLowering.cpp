// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/IntrinsicLowering.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/KeptNumberCalls.h"
#include "hook/ir/LiteralAddresses.h"
#include "hook/ir/Placeholders.h"
#include "hook/ir/RegisterAccess.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace luthier {

/// The write as code generation takes it: the mask as wide as EXEC. That EXEC
/// and memory change is said behind instruction selection
/// (EarlyPlaceholders.h).
static void lowerWriteExec(CallBrInst &Write, unsigned WaveSize) {
  IRBuilder<> B(&Write);
  Value *Mask = B.CreateTrunc(Write.getArgOperand(0), B.getIntNTy(WaveSize));
  Mask = requireScalar(B, Mask, "the mask of luthier::writeExec");
  auto *FT = FunctionType::get(B.getVoidTy(), Mask->getType(), false);
  auto *New = CallBrInst::Create(
      FT, InlineAsm::get(FT, WriteExecPlaceholder, "s", true),
      Write.getDefaultDest(), {}, Mask, "", Write.getIterator());
  New->setAttributes(Write.getAttributes());
  New->setDebugLoc(Write.getDebugLoc());
  Write.eraseFromParent();
}

/// \p Number, as a value that may differ between lanes.
static Value *opaqueInLanes(IRBuilderBase &B, Value *Number) {
  Type *T = Number->getType();
  return B.CreateCall(
      InlineAsm::get(FunctionType::get(T, T, false), "", "=v,0", true), Number);
}

/// \p Pointer with an offset that may differ between lanes, where it is a
/// number of 32 bits behind a base, as the instruction has it; else null.
static Value *withOpaqueOffset(IRBuilderBase &B, Value *Pointer) {
  auto *Element = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Element || Element->getNumIndices() != 1 ||
      !Element->getSourceElementType()->isIntegerTy(8))
    return nullptr;
  auto *Offset = dyn_cast<ZExtInst>(*Element->idx_begin());
  if (!Offset || !Offset->getSrcTy()->isIntegerTy(32))
    return nullptr;
  Value *Opaque = opaqueInLanes(B, Offset->getOperand(0));
  return B.CreatePtrAdd(Element->getPointerOperand(),
                        B.CreateZExt(Opaque, Offset->getType()), "",
                        Element->getNoWrapFlags());
}

/// After writeExec with a single lane, an atomic has nothing to combine across
/// lanes. LLVM does not know and would spend six instructions on it; an address
/// that it must take for divergent keeps it from trying.
static void skipAtomicOptimizer(CallBrInst &Write) {
  auto *Mask = dyn_cast<ConstantInt>(Write.getArgOperand(0));
  if (!Mask || !Mask->getValue().isPowerOf2())
    return;
  // Addresses of the tool's variables are symbols, constants or literals; near
  // ones share a register pair and differ in the instruction's offset. Others
  // stay where they are: LLVM does not know their offset, or, as of managed
  // variables in files, a zero that is added, which takes a register and a move
  // more.
  std::optional<APInt> Base;
  Value *Opaque = nullptr, *Zero = nullptr;
  DenseMap<Value *, Value *> Literals;
  struct Place {
    APInt Offset;
    Value *Pointer = nullptr;
  };
  DenseMap<Value *, Place> Symbols;
  for (Instruction &I : make_early_inc_range(*Write.getDefaultDest())) {
    auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
    if (!Atomic)
      continue;
    IRBuilder<> B(Atomic);
    APInt Offset(64, 0);
    Value *Known =
        Atomic->getPointerOperand()->stripAndAccumulateConstantOffsets(
            Atomic->getDataLayout(), Offset, /*AllowNonInbounds=*/true);
    if (auto *I = dyn_cast<Instruction>(Known);
        I && I->hasMetadata(LiteralAddressMetadata)) {
      Value *&Own = Literals[I];
      if (!Own)
        Own = opaqueInLanes(B, I);
      Atomic->setOperand(AtomicRMWInst::getPointerOperandIndex(),
                         B.CreatePtrAdd(Own, B.getInt(Offset)));
      continue;
    }
    Value *Pointer = Atomic->getPointerOperand();
    if (isa<GlobalVariable>(Known)) {
      Place &Near = Symbols[Known];
      if (!Near.Pointer || Near.Pointer->getType() != Pointer->getType() ||
          !(Offset - Near.Offset).isSignedIntN(12)) {
        // The symbol itself is a literal of a move, a sum is not always.
        Near.Offset = Offset.isSignedIntN(12) ? APInt(64, 0) : Offset;
        Near.Pointer = opaqueInLanes(
            B, B.CreatePtrAdd(Pointer, B.getInt(Near.Offset - Offset)));
      }
      Atomic->setOperand(
          AtomicRMWInst::getPointerOperandIndex(),
          B.CreatePtrAdd(Near.Pointer, B.getInt(Offset - Near.Offset)));
      continue;
    }
    const APInt *Address;
    if (!match(Atomic->getPointerOperand(),
               PatternMatch::m_IntToPtr(PatternMatch::m_APInt(Address)))) {
      if (Value *Pointer = withOpaqueOffset(B, Atomic->getPointerOperand())) {
        Atomic->setOperand(AtomicRMWInst::getPointerOperandIndex(), Pointer);
        continue;
      }
      if (!Zero)
        Zero = B.CreateZExt(opaqueInLanes(B, B.getInt32(0)), B.getInt64Ty());
      Atomic->setOperand(
          AtomicRMWInst::getPointerOperandIndex(),
          B.CreateInBoundsPtrAdd(Atomic->getPointerOperand(), Zero));
      continue;
    }
    Type *PointerType = Atomic->getPointerOperand()->getType();
    if (!Opaque || Opaque->getType() != PointerType ||
        !(*Address - *Base).isSignedIntN(12)) {
      Base = *Address;
      Opaque = opaqueInLanes(B, Atomic->getPointerOperand());
    }
    Atomic->setOperand(AtomicRMWInst::getPointerOperandIndex(),
                       B.CreatePtrAdd(Opaque, B.getInt(*Address - *Base)));
  }
}

static ArgumentSlot slotOf(const CallInst &Placeholder) {
  auto number = [&](unsigned I) -> unsigned {
    return cast<ConstantInt>(Placeholder.getArgOperand(I))->getZExtValue();
  };
  return {number(0) != 0, number(1), number(2), number(3) != 0};
}

namespace {

class IntrinsicLowering {
public:
  IntrinsicLowering(const amdgpu::MCTarget &Target, const PayloadABI &ABI,
                    const Counters &KnownCounters, Payload &Result)
      : Registers(Target, ABI, Result), ABI(ABI), KnownCounters(KnownCounters),
        Result(Result) {}

  Error lower(CallInst &Call, StringRef Name);
  /// What \p F adds to counters in scalar registers, if that is all that it
  /// does; to be asked before anything is lowered.
  std::optional<SmallVector<CounterAddition, 1>>
  onlyAdds(const Function &F) const;

private:
  std::optional<CounterAddition> additionOf(const CallInst &Add) const;
  unsigned numberOf(const CounterKey &Counter) const {
    return ABI.Module.FirstAccumulator + KnownCounters.lookup(Counter);
  }
  unsigned numberOf(const CallInst &Call) const {
    return numberOf(*counterOf(Call));
  }
  bool isScalar(unsigned Index) const { return Index < ABI.NumScalarCounters; }
  unsigned registerOf(unsigned Index) const {
    return ABI.FirstCounterSGPR + 2 * Index;
  }
  Error lowerRegisterAccess(CallInst &Call, StringRef Name);
  Error lowerCounter(CallInst &Call, StringRef Name);
  Error lowerWideCounter(CallInst &Call);
  /// Of its place among all: the first of its lanes, as readLane() counts them.
  Expected<unsigned> laneOf(unsigned Index, bool IsWritten);
  Expected<Value *> readCounterAt(IRBuilderBase &B, unsigned Index);
  Error lowerKept(CallInst &Call, KeptNumber Number);
  Error lowerLaneCounter(CallInst &Call, StringRef Name);
  Error addToCounterAt(IRBuilderBase &B, unsigned Index, Value *Number);
  Error lowerSetHalf(CallInst &Call);
  void lowerScalarAddress(CallInst &Call);
  Error lowerFirstWorkItem(CallInst &Call);

  RegisterAccess Registers;
  const PayloadABI &ABI;
  const Counters &KnownCounters;
  Payload &Result;
};

Error IntrinsicLowering::lowerRegisterAccess(CallInst &Call, StringRef Name) {
  auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  if (!Number)
    return refuse(RefusalReason::UnsupportedHook,
                  "the register that " + Name + " names is not a constant");
  IRBuilder<> B(&Call);
  if (Name == WriteRegIntrinsic)
    return Registers.write(B, Number->getZExtValue(), Call.getArgOperand(1));
  Expected<Value *> Bits =
      Registers.read(B, Number->getZExtValue(), Call.getType());
  if (!Bits)
    return Bits.takeError();
  Call.replaceAllUsesWith(*Bits);
  return Error::success();
}

/// The number that \p Call of waveAdd or waveAddLow adds.
static Value *addend(IRBuilderBase &B, CallInst &Call) {
  Value *Number = B.CreateZExtOrTrunc(Call.getArgOperand(1),
                                      intrinsicName(Call) == WaveAddLowIntrinsic
                                          ? B.getInt32Ty()
                                          : B.getInt64Ty());
  return requireScalar(B, Number, "the number that luthier::waveAdd adds");
}

Expected<unsigned> IntrinsicLowering::laneOf(unsigned Index, bool IsWritten) {
  Index -= ABI.NumScalarCounters;
  if (const unsigned InState = accumulatorCount(ABI.WaveSize);
      Index >= InState) {
    const unsigned Each = countersPerVGPR(ABI.WaveSize),
                   Register = (Index - InState) / Each;
    if (Register >= ABI.NumCounterVGPRs)
      return refuse(RefusalReason::UnsupportedHook,
                    "hooks use more than " +
                        Twine(ABI.NumScalarCounters + InState +
                              ABI.NumCounterVGPRs * Each) +
                        " wave-private counters");
    return (Register + 1) * LanesOfRegister + 2 * ((Index - InState) % Each);
  }
  if (!ABI.State)
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook uses a wave-private counter");
  const unsigned Lane = lanesOf(StateValue::Accumulators).First + 2 * Index;
  Result.UsesState = true;
  Result.WritesState |= IsWritten;
  Result.StateValues |=
      stateBit(Lane < lanesOf(StateValue::MoreAccumulators).First
                   ? StateValue::Accumulators
                   : StateValue::MoreAccumulators);
  return Lane;
}

Expected<Value *> IntrinsicLowering::readCounterAt(IRBuilderBase &B,
                                                   unsigned Index) {
  if (isScalar(Index))
    return readCounter(B, registerOf(Index));
  Expected<unsigned> Lane = laneOf(Index, /*IsWritten=*/false);
  if (!Lane)
    return Lane.takeError();
  Value *Low = B.CreateZExt(readLane(B, *Lane), B.getInt64Ty());
  Value *High = B.CreateZExt(readLane(B, *Lane + 1), B.getInt64Ty());
  return B.CreateOr(Low, B.CreateShl(High, 32));
}

/// Scalar code on two lanes of the state value array:
///   v_readlane_b32  s4, v7, 24
///   v_readlane_b32  s5, v7, 25
///   s_add_u32       s4, s4, <number>
///   s_addc_u32      s5, s5, 0
///   v_writelane_b32 v7, s4, 24
///   v_writelane_b32 v7, s5, 25
/// None of it depends on EXEC. A counter that has scalar registers of its own:
///   s_add_u32       s90, s90, <number>
///   s_addc_u32      s91, s91, 0
/// For 32 bits, half of either.
Error IntrinsicLowering::addToCounterAt(IRBuilderBase &B, unsigned Index,
                                        Value *Number) {
  if (isScalar(Index)) {
    addToCounter(B, registerOf(Index), Number);
    return Error::success();
  }
  Expected<unsigned> Lane = laneOf(Index, /*IsWritten=*/true);
  if (!Lane)
    return Lane.takeError();
  if (Number->getType()->isIntegerTy(32)) {
    writeLane(B, *Lane, B.CreateAdd(readLane(B, *Lane), Number));
    return Error::success();
  }
  Expected<Value *> Before = readCounterAt(B, Index);
  if (!Before)
    return Before.takeError();
  Value *Sum = B.CreateAdd(*Before, Number);
  writeLane(B, *Lane, B.CreateTrunc(Sum, B.getInt32Ty()));
  writeLane(B, *Lane + 1, B.CreateTrunc(B.CreateLShr(Sum, 32), B.getInt32Ty()));
  return Error::success();
}

///   v_mad_u64_u32 v[8:9], s[44:45], 1, 1, v[8:9]
Error IntrinsicLowering::lowerLaneCounter(CallInst &Call, StringRef Name) {
  auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  auto *IsHigh = dyn_cast<ConstantInt>(
      Call.getArgOperand(Name == LaneCountIntrinsic ? 0 : 1));
  if (!Number || !IsHigh)
    return refuse(RefusalReason::UnsupportedHook,
                  "the counter that " + Name + " names is not a constant");
  if (ABI.WaveSize != 64)
    return refuse(RefusalReason::WaveSize,
                  "a hook counts in lanes, in a kernel with waves of 32");
  const unsigned Index =
      ABI.Module.FirstLaneCounter + unsigned(Number->getZExtValue());
  if (Index >= ABI.NumLaneCounters)
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook uses a counter of lanes");
  const unsigned First = ABI.FirstLaneVGPR + 2 * Index;
  IRBuilder<> B(&Call);
  if (Name == LaneCountIntrinsic)
    countLanes(B, First, alignTo(ABI.FirstSGPR, 2));
  else
    Call.replaceAllUsesWith(
        readLaneCounter(B, First + unsigned(IsHigh->getZExtValue())));
  return Error::success();
}

/// The low half of a counter.
Error IntrinsicLowering::lowerKept(CallInst &Call, KeptNumber Number) {
  IRBuilder<> B(&Call);
  const unsigned Index = ABI.Numbers.counterOf(Number);
  Value *Half = nullptr;
  if (isScalar(Index)) {
    Half = B.CreateTrunc(readCounter(B, registerOf(Index)), B.getInt32Ty());
  } else {
    Expected<unsigned> Lane = laneOf(Index, /*IsWritten=*/false);
    if (!Lane)
      return Lane.takeError();
    Half = readLane(B, *Lane);
  }
  Call.replaceAllUsesWith(Half);
  return Error::success();
}

/// s_mov_b32, or v_writelane_b32.
Error IntrinsicLowering::lowerSetHalf(CallInst &Call) {
  const CounterKey Half = *counterOf(Call);
  const unsigned Index = numberOf(wholeOf(Half)), Place = Half != wholeOf(Half);
  IRBuilder<> B(&Call);
  Value *Number = requireScalar(B, Call.getArgOperand(1),
                                "the number that waveSetHalf gives a counter");
  if (isScalar(Index)) {
    setHalfCounter(B, registerOf(Index) + Place, Number);
    return Error::success();
  }
  Expected<unsigned> Lane = laneOf(Index, /*IsWritten=*/true);
  if (!Lane)
    return Lane.takeError();
  writeLane(B, *Lane + Place, Number);
  return Error::success();
}

/// Where both have scalar registers:
///   s_add_u32       s90, s90, <number>
///   s_addc_u32      s91, s91, <number>
///   s_addc_u32      s92, s92, 0
Error IntrinsicLowering::lowerWideCounter(CallInst &Call) {
  const unsigned Index = numberOf(Call),
                 Carries = numberOf(carriesOf(*counterOf(Call)));
  IRBuilder<> B(&Call);
  Value *Number = addend(B, Call);
  if (isScalar(Index) && isScalar(Carries)) {
    addToWideCounter(B, registerOf(Index), registerOf(Carries), Number);
    return Error::success();
  }
  Expected<Value *> Before = readCounterAt(B, Index);
  if (!Before)
    return Before.takeError();
  if (Error E = addToCounterAt(B, Index, Number))
    return E;
  // Logic, since LLVM compares 64 bits in vector instructions: both bits were
  // set, or one was and the sum's is not.
  Value *Sum = B.CreateAdd(*Before, Number);
  Value *Carry =
      B.CreateOr(B.CreateAnd(*Before, Number),
                 B.CreateAnd(B.CreateOr(*Before, Number), B.CreateNot(Sum)));
  return addToCounterAt(B, Carries,
                        B.CreateTrunc(B.CreateLShr(Carry, 63), B.getInt32Ty()));
}

Error IntrinsicLowering::lowerCounter(CallInst &Call, StringRef Name) {
  if (Name == WaveAddWideIntrinsic)
    return lowerWideCounter(Call);
  if (Name == WaveSetHalfIntrinsic)
    return lowerSetHalf(Call);
  IRBuilder<> B(&Call);
  const unsigned Index = numberOf(Call);
  if (Name != WaveCounterIntrinsic)
    return addToCounterAt(B, Index, addend(B, Call));
  Expected<Value *> Sum = readCounterAt(B, Index);
  if (!Sum)
    return Sum.takeError();
  Call.replaceAllUsesWith(*Sum);
  return Error::success();
}

/// From here on, the address is the one that was found to be scalar. Where LLVM
/// knows the address space, the atomic operation uses the pointer before the
/// cast to a generic one.
void IntrinsicLowering::lowerScalarAddress(CallInst &Call) {
  IRBuilder<> B(&Call);
  SmallVector<Value *, 2> Addresses = {Call.getArgOperand(0)};
  while (auto *Cast = dyn_cast<AddrSpaceCastInst>(Addresses.back()))
    Addresses.push_back(Cast->getPointerOperand());
  Value *Known = requireScalar(
      B, Addresses.back(), "the address of luthier::waveAtomicAdd or its like");
  if (Known == Addresses.back())
    return;
  DominatorTree Dominators(*Call.getFunction());
  for (Value *Address : reverse(Addresses)) {
    Known = B.CreateAddrSpaceCast(Known, Address->getType());
    Address->replaceUsesWithIf(
        Known, [&](Use &U) { return Dominators.dominates(&Call, U); });
  }
}

Error IntrinsicLowering::lowerFirstWorkItem(CallInst &Call) {
  if (!ABI.WorkItemIds)
    return refuse(RefusalReason::UnsupportedHook,
                  "a hook asks for the number of the wave");
  Result.UsesWorkItemIds = true;
  IRBuilder<> B(&Call);
  Call.replaceAllUsesWith(readFirstWorkItem(B));
  return Error::success();
}

Error IntrinsicLowering::lower(CallInst &Call, StringRef Name) {
  if (Name == ArgumentIntrinsic) {
    IRBuilder<> B(&Call);
    Call.replaceAllUsesWith(readArgument(B, slotOf(Call), ABI, Call.getType()));
  } else if (Name == FirstLaneIntrinsic) {
    IRBuilder<> B(&Call);
    Call.replaceAllUsesWith(firstLane(
        B, Call.getArgOperand(0),
        requireScalar(B, Call.getArgOperand(1),
                      "what luthier::firstLane yields without lanes")));
  } else if (Name == ScalarIntrinsic) {
    IRBuilder<> B(&Call);
    Call.replaceAllUsesWith(requireScalar(
        B, Call.getArgOperand(0),
        "the operand of luthier::waveAtomicAdd, pushOnce or its like"));
  } else if (Name == ScalarAddressIntrinsic) {
    lowerScalarAddress(Call);
  } else if (Name == FirstWorkItemIntrinsic) {
    if (Error E = lowerFirstWorkItem(Call))
      return E;
  } else if (namesLaneCounter(Name)) {
    if (Error E = lowerLaneCounter(Call, Name))
      return E;
  } else if (const auto Number = keptNumberOf(Call)) {
    if (Error E = lowerKept(Call, *Number))
      return E;
  } else if (namesRegister(Name)) {
    if (Error E = lowerRegisterAccess(Call, Name))
      return E;
  } else if (namesCounter(Name)) {
    if (Error E = lowerCounter(Call, Name))
      return E;
  } else {
    return refuse(RefusalReason::UnsupportedHook, "unknown intrinsic " + Name);
  }
  Call.eraseFromParent();
  return Error::success();
}

/// The literals of a call site that \p V stands for.
std::optional<ArgumentSlot> literalOf(const Value &V) {
  auto *Call = dyn_cast<CallInst>(&V);
  if (!Call || intrinsicName(*Call) != ArgumentIntrinsic)
    return std::nullopt;
  const ArgumentSlot Slot = slotOf(*Call);
  return Slot.IsLiteral ? std::optional(Slot) : std::nullopt;
}

std::optional<CounterAddition>
IntrinsicLowering::additionOf(const CallInst &Add) const {
  const StringRef Name = intrinsicName(Add);
  if (Name != WaveAddIntrinsic && Name != WaveAddLowIntrinsic)
    return std::nullopt;
  CounterAddition Result;
  Result.Counter = numberOf(Add);
  Result.IsLow = Name == WaveAddLowIntrinsic;
  const Value *Number = Add.getArgOperand(1);
  if (auto *Extended = dyn_cast<ZExtInst>(Number))
    Number = Extended->getOperand(0);
  if (auto *Constant = dyn_cast<ConstantInt>(Number))
    Result.Number = Constant->getZExtValue();
  else if (!(Result.Literal = literalOf(*Number)))
    return std::nullopt;
  if (Result.Counter >= ABI.NumScalarCounters)
    return std::nullopt;
  return Result;
}

std::optional<SmallVector<CounterAddition, 1>>
IntrinsicLowering::onlyAdds(const Function &F) const {
  SmallVector<CounterAddition, 1> Result;
  for (const Instruction &I : instructions(F)) {
    if (isa<ZExtInst>(I) || isa<ReturnInst>(I) || literalOf(I))
      continue;
    auto *Call = dyn_cast<CallInst>(&I);
    const auto Addition = Call ? additionOf(*Call) : std::nullopt;
    if (!Addition)
      return std::nullopt;
    Result.push_back(*Addition);
  }
  return Result;
}

/// Older device libraries read EXEC as a register.
bool lowerReadOfExec(CallInst &Call) {
  if (Call.getIntrinsicID() != Intrinsic::read_register)
    return false;
  auto *Node =
      cast<MDNode>(cast<MetadataAsValue>(Call.getArgOperand(0))->getMetadata());
  StringRef Name = cast<MDString>(Node->getOperand(0))->getString();
  if (Name != "exec" && Name != "exec_lo" && Name != "exec_hi")
    return false;
  IRBuilder<> B(&Call);
  Value *Mask = B.CreateIntrinsic(Intrinsic::amdgcn_ballot, {B.getInt64Ty()},
                                  {B.getTrue()});
  if (Name == "exec_hi")
    Mask = B.CreateLShr(Mask, 32);
  Call.replaceAllUsesWith(B.CreateTrunc(Mask, Call.getType()));
  Call.eraseFromParent();
  return true;
}

/// What an instruction of the wave takes.
void requireScalarOperand(CallInst &Call) {
  const Intrinsic::ID ID = Call.getIntrinsicID();
  const std::optional<unsigned> Number = scalarOperandOf(ID);
  if (!Number)
    return;
  IRBuilder<> B(&Call);
  Call.setArgOperand(
      *Number,
      requireScalar(B, Call.getArgOperand(*Number),
                    ("the operand of " + Intrinsic::getBaseName(ID)).str()));
}

/// A mask of the lanes that there are here is a number for the hook; to code
/// generation it is a comparison, which ExecWriteLowering.h computes again.
void pinMask(CallInst &Call) {
  const Intrinsic::ID ID = Call.getIntrinsicID();
  if (ID != Intrinsic::amdgcn_icmp && ID != Intrinsic::amdgcn_fcmp &&
      (ID != Intrinsic::amdgcn_ballot || isa<Constant>(Call.getArgOperand(0))))
    return;
  IRBuilder<> B(Call.getNextNode());
  Value *Kept = pinHere(B, &Call);
  Call.replaceUsesWithIf(Kept, [&](Use &U) { return U.getUser() != Kept; });
}

} // namespace

Error IntrinsicPass::run(Function &F, PassContext &C) {
  Payload &Result = C.Payloads[F.getName()];
  IntrinsicLowering Lowering(C.Target, C.ABI, C.KnownCounters, Result);
  Result.OnlyAdds = Lowering.onlyAdds(F);
  const bool DefinesExec = any_of(F, [](const BasicBlock &B) {
    return isa<CallBrInst>(B.getTerminator());
  });
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Write = dyn_cast<CallBrInst>(&I)) {
      skipAtomicOptimizer(*Write);
      lowerWriteExec(*Write, C.ABI.WaveSize);
      Result.WritesEXEC = true;
      continue;
    }
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && lowerReadOfExec(*Call))
      continue;
    if (Call)
      requireScalarOperand(*Call);
    if (Call && DefinesExec)
      pinMask(*Call);
    if (StringRef Name = Call ? intrinsicName(*Call) : StringRef();
        !Name.empty())
      if (Error E = Lowering.lower(*Call, Name))
        return E;
  }
  return Error::success();
}

} // namespace luthier
