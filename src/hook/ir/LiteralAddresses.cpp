// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/LiteralAddresses.h"
#include "hook/ir/Intrinsics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace luthier {
namespace {

/// A sum, as far as \p V is one of constants and literals.
class SumFinder {
public:
  SumFinder(const DataLayout &DL, bool HasAddresses)
      : DL(DL), HasAddresses(HasAddresses) {}

  const LiteralSum *find(const Value *V) {
    if (auto It = Known.find(V); It != Known.end())
      return It->second.get();
    std::optional<LiteralSum> Sum = compute(V);
    auto &Slot = Known[V];
    if (Sum)
      Slot = std::make_unique<LiteralSum>(std::move(*Sum));
    return Slot.get();
  }

private:
  bool isWide(const Value *V) const {
    return V->getType()->isIntegerTy(64) ||
           (V->getType()->isPointerTy() &&
            DL.getPointerTypeSizeInBits(V->getType()) == 64);
  }
  std::optional<LiteralSum> compute(const Value *V);
  std::optional<LiteralSum> literal(const Value *V, bool IsSigned) const;
  std::optional<LiteralSum> sum(const Value *A, const Value *B,
                                uint64_t Factor);
  std::optional<LiteralSum> product(const Value *V, const Value *Factor,
                                    bool IsShift);
  std::optional<LiteralSum> element(const GEPOperator &GEP);
  std::optional<LiteralSum> same(const Value *V) {
    const LiteralSum *Sum = isWide(V) ? find(V) : nullptr;
    return Sum ? std::optional(*Sum) : std::nullopt;
  }

  static bool canAdd(const LiteralSum &A, const LiteralSum &B,
                     uint64_t Factor) {
    return B.Symbol.empty() || (A.Symbol.empty() && Factor == 1);
  }

  const DataLayout &DL;
  const bool HasAddresses;
  DenseMap<const Value *, std::unique_ptr<LiteralSum>> Known;
};

std::optional<LiteralSum> SumFinder::literal(const Value *V,
                                             bool IsSigned) const {
  auto *Call = dyn_cast<CallInst>(V);
  if (!Call || intrinsicName(*Call) != ArgumentIntrinsic)
    return std::nullopt;
  auto number = [&](unsigned I) -> unsigned {
    return cast<ConstantInt>(Call->getArgOperand(I))->getZExtValue();
  };
  const unsigned Dwords = number(2);
  // Smaller values are parts of their literal.
  if (!number(3) || DL.getTypeSizeInBits(V->getType()) != 32 * Dwords)
    return std::nullopt;
  LiteralSum Result;
  Result.Terms.push_back({number(1), Dwords == 2, IsSigned, 1});
  return Result;
}

std::optional<LiteralSum> SumFinder::sum(const Value *A, const Value *B,
                                         uint64_t Factor) {
  const LiteralSum *Left = find(A), *Right = find(B);
  if (!Left || !Right || !canAdd(*Left, *Right, Factor))
    return std::nullopt;
  LiteralSum Result = *Left;
  Result.add(*Right, Factor);
  return Result;
}

std::optional<LiteralSum>
SumFinder::product(const Value *V, const Value *Factor, bool IsShift) {
  const LiteralSum *Sum = find(V);
  auto *Number = dyn_cast<ConstantInt>(Factor);
  if (!Sum || !Sum->Symbol.empty() || !Number ||
      (IsShift && Number->getZExtValue() >= 64))
    return std::nullopt;
  LiteralSum Result;
  Result.add(*Sum, IsShift ? uint64_t(1) << Number->getZExtValue()
                           : Number->getZExtValue());
  return Result;
}

std::optional<LiteralSum> SumFinder::element(const GEPOperator &GEP) {
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Offset(64, 0);
  const LiteralSum *Base = find(GEP.getPointerOperand());
  if (!Base || !GEP.collectOffset(DL, 64, Indices, Offset))
    return std::nullopt;
  LiteralSum Result = *Base;
  Result.Constant += Offset.getZExtValue();
  for (auto &[Index, Factor] : Indices) {
    const LiteralSum *Sum = isWide(Index) ? find(Index) : nullptr;
    if (!Sum || !canAdd(Result, *Sum, Factor.getZExtValue()))
      return std::nullopt;
    Result.add(*Sum, Factor.getZExtValue());
  }
  return Result;
}

std::optional<LiteralSum> SumFinder::compute(const Value *V) {
  if (!isWide(V))
    return std::nullopt;
  if (auto *Number = dyn_cast<ConstantInt>(V))
    return LiteralSum{"", Number->getZExtValue(), {}};
  if (auto *Variable = dyn_cast<GlobalVariable>(V))
    return HasAddresses
               ? std::optional(LiteralSum{Variable->getName().str(), 0, {}})
               : std::nullopt;
  auto *I = dyn_cast<Operator>(V);
  if (!I)
    return std::nullopt;
  switch (I->getOpcode()) {
  case Instruction::Call:
    return literal(V, /*IsSigned=*/false);
  case Instruction::ZExt:
  case Instruction::SExt:
    return literal(I->getOperand(0), I->getOpcode() == Instruction::SExt);
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
  // Of the address spaces that have 64 bits, all know a place by one number.
  case Instruction::AddrSpaceCast:
    return same(I->getOperand(0));
  case Instruction::Add:
    return sum(I->getOperand(0), I->getOperand(1), 1);
  case Instruction::Sub:
    return sum(I->getOperand(0), I->getOperand(1), -uint64_t(1));
  case Instruction::Mul:
  case Instruction::Shl:
    return product(I->getOperand(0), I->getOperand(1),
                   I->getOpcode() == Instruction::Shl);
  case Instruction::GetElementPtr:
    return element(*cast<GEPOperator>(I));
  default:
    return std::nullopt;
  }
}

/// Replaces sums by literals.
class SumReplacer {
public:
  SumReplacer(Function &F, Payload &Result, bool HasAddresses)
      : F(F), Result(Result), Sums(F.getDataLayout(), HasAddresses) {}

  void run() {
    SmallVector<std::pair<Instruction *, const LiteralSum *>, 8> Found;
    for (Instruction &I : instructions(F))
      if (const LiteralSum *Sum = Sums.find(&I); Sum && isWorthwhile(I, *Sum))
        Found.push_back({&I, Sum});
    for (auto [I, Sum] : Found)
      replace(*I, *Sum);
    for (auto [I, Sum] : reverse(Found))
      RecursivelyDeleteTriviallyDeadInstructions(I);
  }

private:
  /// A literal with others that differ from it by a constant.
  struct Group {
    const LiteralSum *First = nullptr;
    Value *Number = nullptr;
    DenseMap<Type *, Value *> Pointers;
  };

  bool isWorthwhile(Instruction &I, const LiteralSum &Sum) {
    if (Sum.Terms.empty() || (!I.getType()->isPointerTy() && Sum.isLiteral()))
      return false;
    return any_of(I.users(), [&](const User *U) { return !Sums.find(U); });
  }
  Group &groupOf(const LiteralSum &Sum);
  Value *pointerOf(Group &G, Type *T);
  void replace(Instruction &I, const LiteralSum &Sum);

  Function &F;
  Payload &Result;
  SumFinder Sums;
  std::vector<Group> Groups;
};

SumReplacer::Group &SumReplacer::groupOf(const LiteralSum &Sum) {
  auto It = find_if(Groups, [&](const Group &G) {
    return G.First->Symbol == Sum.Symbol && G.First->Terms == Sum.Terms;
  });
  if (It != Groups.end())
    return *It;
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  const unsigned Index = FirstLiteralSum + 2 * Result.LiteralSums.size();
  Result.LiteralSums.push_back(Sum);
  Value *Number = callIntrinsic(
      B, ArgumentIntrinsic, B.getInt64Ty(),
      {B.getInt32(false), B.getInt32(Index), B.getInt32(2), B.getInt32(true)});
  Group &New = Groups.emplace_back();
  New.First = &Sum;
  New.Number = Number;
  return New;
}

Value *SumReplacer::pointerOf(Group &G, Type *T) {
  Value *&Slot = G.Pointers[T];
  if (!Slot) {
    IRBuilder<> B(cast<Instruction>(G.Number)->getNextNode());
    auto *Pointer = cast<Instruction>(B.CreateIntToPtr(G.Number, T));
    Pointer->setMetadata(LiteralAddressMetadata,
                         MDNode::get(F.getContext(), {}));
    Slot = Pointer;
  }
  return Slot;
}

void SumReplacer::replace(Instruction &I, const LiteralSum &Sum) {
  Group &G = groupOf(Sum);
  const uint64_t Distance = Sum.Constant - G.First->Constant;
  BasicBlock::iterator Place =
      isa<PHINode>(I) ? I.getParent()->getFirstInsertionPt() : I.getIterator();
  IRBuilder<> B(I.getParent(), Place);
  Value *New =
      I.getType()->isPointerTy() ? pointerOf(G, I.getType()) : G.Number;
  if (Distance)
    New = I.getType()->isPointerTy() ? B.CreatePtrAdd(New, B.getInt64(Distance))
                                     : B.CreateAdd(New, B.getInt64(Distance));
  I.replaceAllUsesWith(New);
}

} // namespace

Error LiteralAddressPass::run(Function &F, PassContext &C) {
  SumReplacer(F, C.Payloads[F.getName()], C.HasAddresses).run();
  return Error::success();
}

} // namespace luthier
