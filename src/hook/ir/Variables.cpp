// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/Variables.h"
#include "hook/VariableAddresses.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/Placeholders.h"
#include "luthier/Refusal.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

GlobalVariable &variableNamed(Module &M, StringRef Symbol) {
  if (GlobalVariable *Known = M.getNamedGlobal(Symbol))
    return *Known;
  // Of no size that LLVM might draw conclusions from.
  Type *Unknown = ArrayType::get(Type::getInt8Ty(M.getContext()), 0);
  return *new GlobalVariable(
      M, Unknown, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, Symbol, /*InsertBefore=*/nullptr,
      GlobalValue::NotThreadLocal, AMDGPUAS::GLOBAL_ADDRESS);
}

/// \p Load yields where managed variable \p Name is, which is known where it is
/// loaded: a symbol of its own stands for that.
static void bindStorage(LoadInst &Load, StringRef Name) {
  GlobalVariable &Storage =
      variableNamed(*Load.getModule(), (StoragePrefix + Name).str());
  Load.replaceAllUsesWith(
      ConstantExpr::getPointerBitCastOrAddrSpaceCast(&Storage, Load.getType()));
  Load.eraseFromParent();
}

Error bindVariables(Module &M, const HookModule &Hooks) {
  if (Hooks.SymbolicVariables)
    return Error::success();
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.use_empty() || G.getName().starts_with("llvm.") ||
        G.getName().starts_with(StoragePrefix) ||
        G.getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS)
      continue;
    if (Hooks.ManagedStorage.contains(G.getName()))
      for (User *U : make_early_inc_range(G.users()))
        if (auto *Load = dyn_cast<LoadInst>(U);
            Load && Load->getType()->isPointerTy())
          bindStorage(*Load, G.getName());
    if (!G.use_empty() && !Hooks.Variables.contains(G.getName()))
      return refuse(RefusalReason::UnsupportedHook, "variable " + G.getName() +
                                                        " is not defined by " +
                                                        Hooks.ToolName);
  }
  return Error::success();
}

bool isSharedMemory(const GlobalVariable &G) {
  return G.getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS;
}

Expected<SharedSize> sharedSizeOf(const GlobalVariable &G) {
  const DataLayout &DL = G.getDataLayout();
  const unsigned Bytes = DL.getTypeAllocSize(G.getValueType());
  if (!Bytes)
    return refuse(RefusalReason::UnsupportedHook,
                  "shared memory variable " + G.getName() +
                      " has its size from the launch");
  const Align Natural = DL.getABITypeAlign(G.getValueType());
  return SharedSize{
      Bytes, unsigned(std::max(G.getAlign().valueOrOne(), Natural).value())};
}

Expected<SharedMemory> sharedMemoryOf(Module &M) {
  SharedMemory Result;
  for (GlobalVariable &G : M.globals()) {
    if (!isSharedMemory(G) || G.use_empty())
      continue;
    Expected<SharedSize> Size = sharedSizeOf(G);
    if (!Size)
      return Size.takeError();
    const unsigned Offset = alignTo(Result.Bytes, Size->Align);
    Result.Variables.push_back({&G, Offset});
    Result.Bytes = Offset + Size->Bytes;
    Result.Align = std::max(Result.Align, Size->Align);
  }
  return Result;
}

/// Puts what \p Make returns in place of \p G in \p F.
static void replaceIn(Function &F, GlobalVariable &G,
                      function_ref<Value *(IRBuilderBase &)> Make) {
  convertUsersOfConstantsToInstructions(&G, &F, /*RemoveDeadConstants=*/false);
  Value *New = nullptr;
  for (Use &U : make_early_inc_range(G.uses())) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I || I->getFunction() != &F)
      continue;
    if (!New) {
      IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
      New = Make(B);
    }
    U.set(New);
  }
}

/// \p Addend bytes from \p G on, to be filled in later.
static Value *symbolicAddress(IRBuilderBase &B, GlobalVariable &G,
                              int64_t Addend) {
  auto *Int64 = B.getInt64Ty();
  Value *Low = B.CreateZExt(addressHalf(B, G, Addend, Fixup::Abs32Lo), Int64);
  Value *High = B.CreateZExt(addressHalf(B, G, Addend, Fixup::Abs32Hi), Int64);
  return B.CreateIntToPtr(B.CreateOr(Low, B.CreateShl(High, 32)), G.getType());
}

/// What memory instructions of all targets can add to an address; not those of
/// gfx1030 to a generic one.
static bool fitsInstruction(int64_t Offset, const Value &Pointer) {
  return Offset >= 0 && Offset < 2048 &&
         Pointer.getType()->getPointerAddressSpace() != AMDGPUAS::FLAT_ADDRESS;
}

/// Places in \p G that are a constant away become symbols with an addend, where
/// adding that constant would take instructions. \p F has no constants made of
/// \p G.
static void fillInFarPlaces(Function &F, GlobalVariable &G) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Place = dyn_cast<GetElementPtrInst>(&I);
    if (!Place || DL.getIndexTypeSizeInBits(Place->getType()) != 64)
      continue;
    APInt Offset(64, 0);
    const Value *From = Place->stripAndAccumulateConstantOffsets(
        DL, Offset, /*AllowNonInbounds=*/true);
    if (From != &G || fitsInstruction(Offset.getSExtValue(), *Place))
      continue;
    IRBuilder<> B(Place);
    Value *New = symbolicAddress(B, G, Offset.getSExtValue());
    Place->replaceAllUsesWith(
        B.CreatePointerBitCastOrAddrSpaceCast(New, Place->getType()));
    Place->eraseFromParent();
  }
}

/// The runtime writes where a managed variable is before any kernel runs that
/// reads it. A scalar load does, whatever EXEC is.
static void loadManagedAddresses(Function &F, GlobalVariable &G) {
  for (User *U : make_early_inc_range(G.users())) {
    auto *Load = dyn_cast<LoadInst>(U);
    if (Load && Load->getFunction() == &F && Load->getType()->isPointerTy() &&
        Load->hasMetadata(LLVMContext::MD_invariant_load))
      Load->setOperand(LoadInst::getPointerOperandIndex(),
                       ConstantExpr::getAddrSpaceCast(
                           &G, PointerType::get(F.getContext(),
                                                AMDGPUAS::CONSTANT_ADDRESS)));
  }
}

Error VariablePass::run(Function &F, PassContext &C) {
  const PayloadABI &ABI = C.ABI;
  Payload &Result = C.Payloads[F.getName()];
  bool Fits = true;
  for (auto [G, Offset] : C.Shared.Variables)
    replaceIn(F, *G, [&](IRBuilderBase &B) -> Value * {
      Fits &= ABI.State.isValid();
      Result.UsesState = true;
      Result.StateValues |= stateBit(StateValue::LdsBase);
      Value *Base = readConstantLane(B, lanesOf(StateValue::LdsBase).First);
      return B.CreateIntToPtr(
          B.CreateAdd(Base, B.getInt32(ABI.Module.LdsOffset + Offset)),
          G->getType());
    });
  if (!Fits)
    return refuse(RefusalReason::UnsupportedHook, "a hook uses shared memory");
  for (GlobalVariable &G : F.getParent()->globals()) {
    if (G.getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS ||
        G.getName().starts_with("llvm."))
      continue;
    loadManagedAddresses(F, G);
    convertUsersOfConstantsToInstructions(&G, &F,
                                          /*RemoveDeadConstants=*/false);
    fillInFarPlaces(F, G);
    replaceIn(F, G, [&](IRBuilderBase &B) {
      return symbolicAddress(B, G, /*Addend=*/0);
    });
  }
  return Error::success();
}

std::optional<CounterKey> counterOf(const CallInst &Call) {
  const DataLayout &DL = Call.getDataLayout();
  APInt Offset(64, 0);
  auto strip = [&](const Value *V) {
    for (;;) {
      V = V->stripAndAccumulateConstantOffsets(DL, Offset,
                                               /*AllowNonInbounds=*/true);
      auto *Cast = dyn_cast<Operator>(V);
      if (!Cast || Cast->getOpcode() != Instruction::IntToPtr)
        return V;
      V = Cast->getOperand(0);
    }
  };
  const Value *Counter = strip(Call.getArgOperand(0));
  // A managed variable's address is in a cell of its name.
  if (auto *Load = dyn_cast<LoadInst>(Counter))
    Counter = Load->getPointerOperand()->stripPointerCasts();
  if (auto *Address = dyn_cast<ConstantInt>(Counter))
    return CounterKey(nullptr, Address->getSExtValue() + Offset.getSExtValue());
  if (!isa<GlobalVariable>(Counter))
    return std::nullopt;
  return CounterKey(Counter, Offset.getSExtValue());
}

CounterKey wholeOf(CounterKey Half) {
  Half.second = alignDown(uint64_t(Half.second), sizeof(uint64_t));
  return Half;
}

CounterKey carriesOf(CounterKey Wide) {
  Wide.second += sizeof(uint64_t);
  return Wide;
}

Error collectCounters(const Function &F, Counters &Known) {
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !namesCounter(intrinsicName(*Call)))
      continue;
    const std::optional<CounterKey> Counter = counterOf(*Call);
    if (!Counter)
      return refuse(RefusalReason::UnsupportedHook,
                    placeOf(*Call) + intrinsicName(*Call) +
                        " needs a variable, or a constant part of one, as its "
                        "counter");
    const bool IsHalf = intrinsicName(*Call) == WaveSetHalfIntrinsic;
    Known.insert({IsHalf ? wholeOf(*Counter) : *Counter, Known.size()});
    if (intrinsicName(*Call) == WaveAddWideIntrinsic)
      Known.insert({carriesOf(*Counter), Known.size()});
  }
  return Error::success();
}

} // namespace luthier
