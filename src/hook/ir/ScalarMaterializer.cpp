// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ScalarMaterializer.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace luthier {
namespace {

/// Of a type with a scalar form.
unsigned widthOf(const Type &T, const DataLayout &DL) {
  return T.isPointerTy() ? DL.getPointerTypeSizeInBits(const_cast<Type *>(&T))
                         : unsigned(T.getPrimitiveSizeInBits());
}

/// Of the registers that hold so many bits.
unsigned registerWidth(unsigned Bits) { return Bits <= 32 ? 32 : 64; }

/// \p V without the bits above \p Bits.
Value *masked(IRBuilderBase &B, Value *V, unsigned Bits) {
  const unsigned Width = V->getType()->getIntegerBitWidth();
  return Bits == Width ? V : B.CreateAnd(V, APInt::getLowBitsSet(Width, Bits));
}

Value *signExtended(IRBuilderBase &B, Value *V, unsigned Bits) {
  const unsigned Above = V->getType()->getIntegerBitWidth() - Bits;
  return Above ? B.CreateAShr(B.CreateShl(V, Above), Above) : V;
}

/// LLVM selects scalar instructions for it where its operands are in scalar
/// registers.
bool isPlainOperation(const Instruction &I) {
  const Type &T = *I.getType();
  const bool HasSize = T.isIntegerTy(32) || T.isIntegerTy(64);
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return HasSize;
  case Instruction::PHI:
  case Instruction::Freeze:
    return HasSize || T.isPointerTy();
  case Instruction::ZExt:
  case Instruction::SExt:
    return HasSize && !I.getOperand(0)->getType()->isIntegerTy(1);
  case Instruction::Trunc:
    return !T.isIntegerTy(1);
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::GetElementPtr:
  case Instruction::BitCast:
  case Instruction::InsertElement:
  case Instruction::ExtractElement:
    return true;
  case Instruction::Call: {
    auto ID = cast<CallInst>(I).getIntrinsicID();
    return (HasSize && ID == Intrinsic::ctpop) ||
           ID == Intrinsic::amdgcn_readfirstlane;
  }
  default:
    return false;
  }
}

/// Behind \p V, where it can be used first.
void moveBehind(IRBuilderBase &B, Value &V) {
  auto &I = cast<Instruction>(V);
  if (isa<PHINode>(I))
    B.SetInsertPoint(I.getParent(), I.getParent()->getFirstInsertionPt());
  else
    B.SetInsertPoint(I.getNextNode());
}

} // namespace

bool ScalarMaterializer::isPlain(Value &V) {
  if (auto It = Plain.find(&V); It != Plain.end())
    return It->second;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<Value *, 16> Work = {&V};
  bool Result = true;
  while (!Work.empty() && Result) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    // Of loads, only those that scalar instructions do are in a computation.
    if (isa<LoadInst>(I))
      continue;
    if (!isScalarOperation(*I) && !isa<CallInst>(I)) {
      Result = false;
    } else if (isPlainOperation(*I) && !Scalars.isReadOfActiveLane(*I)) {
      for (Use &Operand : I->operands())
        Work.push_back(Operand);
    } else {
      // Leaves are calls that are none of the operations.
      Result = isa<CallInst>(I) && !isScalarOperation(*I) &&
               !I->getType()->isIntegerTy(1);
    }
  }
  return Plain[&V] = Result;
}

Value *ScalarMaterializer::materialize(Value *V) {
  if (isa<Constant>(V) || isPlain(*V))
    return V;
  Type *T = V->getType();
  IRBuilder<> B(V->getContext());
  moveBehind(B, *V);
  if (!hasScalarForm(*T)) {
    const Words All = words(V);
    moveBehind(B, *V);
    return joinWords(B, All, *T);
  }
  Value *Number = number(V);
  const unsigned Bits = widthOf(*T, B.GetInsertBlock()->getDataLayout());
  Number = B.CreateTrunc(Number, B.getIntNTy(Bits));
  return T->isPointerTy() ? B.CreateIntToPtr(Number, T)
                          : B.CreateBitCast(Number, T);
}

/// \p V of any type with a scalar form as its bits.
Value *ScalarMaterializer::number(Value *V) {
  if (auto It = Numbers.find(V); It != Numbers.end())
    return It->second;
  LLVMContext &C = V->getContext();
  auto *I = dyn_cast<Instruction>(V);
  IRBuilder<> B(C);
  if (!I) {
    // Constants fold, wherever they seem to be computed.
    auto *K = cast<Constant>(V);
    if (isa<UndefValue>(K))
      K = Constant::getNullValue(K->getType());
    Type *T = K->getType();
    Value *Bits =
        T->isPointerTy() ? B.CreatePtrToInt(K, B.getInt64Ty())
        : T->isIntegerTy()
            ? K
            : B.CreateBitCast(
                  K, B.getIntNTy(unsigned(T->getPrimitiveSizeInBits())));
    return B.CreateZExt(Bits, B.getIntNTy(registerWidth(
                                  Bits->getType()->getIntegerBitWidth())));
  }
  const DataLayout &DL = I->getDataLayout();
  const unsigned Bits = widthOf(*V->getType(), DL);
  Type *Register = B.getIntNTy(registerWidth(Bits));
  if (isPlain(*V)) {
    moveBehind(B, *V);
    Value *Number = V;
    if (V->getType()->isPointerTy())
      Number = B.CreatePtrToInt(V, B.getIntNTy(Bits));
    else if (!V->getType()->isIntegerTy())
      Number = B.CreateBitCast(V, B.getIntNTy(Bits));
    return Numbers[V] = B.CreateZExt(Number, Register);
  }
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    B.SetInsertPoint(Phi);
    PHINode *New = B.CreatePHI(Register, Phi->getNumIncomingValues());
    Numbers[V] = New;
    for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K)
      New->addIncoming(number(Phi->getIncomingValue(K)),
                       Phi->getIncomingBlock(K));
    return New;
  }
  B.SetInsertPoint(I);
  Value *Result = compute(B, *I);
  return Numbers[V] = Result;
}

Value *ScalarMaterializer::signedNumber(IRBuilderBase &B, Value *V) {
  return signExtended(
      B, number(V),
      widthOf(*V->getType(), B.GetInsertBlock()->getDataLayout()));
}

Value *ScalarMaterializer::compute(IRBuilderBase &B, Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  const unsigned Bits = widthOf(*I.getType(), DL);
  Type *Register = B.getIntNTy(registerWidth(Bits));
  Value *First = I.getOperand(0);
  switch (I.getOpcode()) {
  case Instruction::ICmp: {
    auto &Compare = cast<ICmpInst>(I);
    auto operand = [&](unsigned K) {
      Value *V = I.getOperand(K);
      return Compare.isSigned() ? signedNumber(B, V) : number(V);
    };
    return compareScalars(B, Compare.getPredicate(), operand(0), operand(1));
  }
  case Instruction::Select:
    return selectScalar(B, number(First), number(I.getOperand(1)),
                        number(I.getOperand(2)));
  case Instruction::ZExt:
    return B.CreateZExt(number(First), Register);
  case Instruction::SExt:
    return masked(B, B.CreateSExt(signedNumber(B, First), Register), Bits);
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::Trunc:
    return masked(B, B.CreateZExtOrTrunc(number(First), Register), Bits);
  case Instruction::Freeze:
    return number(First);
  case Instruction::BitCast: {
    if (hasScalarForm(*First->getType()))
      return number(First);
    Words All = words(First);
    return element(B, All, 0, Bits);
  }
  case Instruction::ExtractElement:
    return element(B, words(First),
                   cast<ConstantInt>(I.getOperand(1))->getZExtValue(), Bits);
  case Instruction::GetElementPtr:
  case Instruction::AddrSpaceCast:
    return address(B, I);
  case Instruction::ExtractValue: {
    auto &Sum = cast<WithOverflowInst>(
        *cast<ExtractValueInst>(I).getAggregateOperand());
    const bool IsAdd = Sum.getIntrinsicID() == Intrinsic::uadd_with_overflow;
    Value *A = number(Sum.getLHS()), *C = number(Sum.getRHS());
    Value *Result = masked(B, IsAdd ? B.CreateAdd(A, C) : B.CreateSub(A, C),
                           Sum.getLHS()->getType()->getIntegerBitWidth());
    if (cast<ExtractValueInst>(I).getIndices().front() == 0)
      return Result;
    return compareScalars(B, CmpInst::ICMP_ULT, IsAdd ? Result : A,
                          IsAdd ? A : C);
  }
  case Instruction::Call:
    return call(B, cast<CallInst>(I));
  default:
    return arithmetic(B, I);
  }
}

Value *ScalarMaterializer::arithmetic(IRBuilderBase &B, Instruction &I) {
  const unsigned Bits = I.getType()->getIntegerBitWidth();
  Value *A = number(I.getOperand(0)), *C = number(I.getOperand(1));
  if (I.getOpcode() == Instruction::AShr)
    A = signExtended(B, A, Bits);
  return masked(B, B.CreateBinOp(Instruction::BinaryOps(I.getOpcode()), A, C),
                Bits);
}

Value *ScalarMaterializer::address(IRBuilderBase &B, Instruction &I) {
  Value *Base = number(I.getOperand(0));
  auto *GEP = dyn_cast<GetElementPtrInst>(&I);
  if (!GEP)
    return Base;
  const DataLayout &DL = I.getDataLayout();
  const unsigned Bits = Base->getType()->getIntegerBitWidth();
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Fixed(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
  if (!GEP->collectOffset(DL, Fixed.getBitWidth(), Variable, Fixed))
    return Base; // Of vectors whose size nobody knows.
  Type *Register = B.getIntNTy(Bits);
  Value *Sum = B.CreateAdd(Base, ConstantInt::get(Register, Fixed.sext(Bits)));
  for (auto &[Index, Scale] : Variable) {
    Value *Number = B.CreateSExtOrTrunc(signedNumber(B, Index), Register);
    Sum = B.CreateAdd(
        Sum, B.CreateMul(Number, ConstantInt::get(Register, Scale.sext(Bits))));
  }
  return Sum;
}

/// Bits of \p V that are set.
static Value *countBits(IRBuilderBase &B, Value *V) {
  return B.CreateUnaryIntrinsic(Intrinsic::ctpop, V);
}

/// \p V with all bits set below its highest one.
static Value *smeared(IRBuilderBase &B, Value *V) {
  for (unsigned N = 1; N < V->getType()->getIntegerBitWidth(); N *= 2)
    V = B.CreateOr(V, B.CreateLShr(V, N));
  return V;
}

/// \p V with each two groups of \p Bits exchanged, for all groups from \p From
/// bits on up to half of \p Width.
static Value *reversed(IRBuilderBase &B, Value *V, unsigned From,
                       unsigned Width) {
  const unsigned All = V->getType()->getIntegerBitWidth();
  for (unsigned Bits = From; Bits < Width; Bits *= 2) {
    APInt Low = APInt::getSplat(
        All, APInt::getLowBitsSet(std::min(2 * Bits, All), Bits));
    V = B.CreateOr(B.CreateShl(B.CreateAnd(V, Low), Bits),
                   B.CreateAnd(B.CreateLShr(V, Bits), Low));
  }
  return V;
}

Value *ScalarMaterializer::call(IRBuilderBase &B, CallInst &Call) {
  const unsigned Bits = Call.getType()->getIntegerBitWidth();
  Value *A = number(Call.getArgOperand(0));
  const unsigned Width = A->getType()->getIntegerBitWidth();
  auto second = [&] { return number(Call.getArgOperand(1)); };
  auto choose = [&](CmpInst::Predicate Predicate, Value *Left, Value *Right,
                    Value *Then, Value *Else) {
    return selectScalar(B, compareScalars(B, Predicate, Left, Right), Then,
                        Else);
  };
  auto lesser = [&](CmpInst::Predicate Predicate) {
    const bool IsSigned = CmpInst::isSigned(Predicate);
    Value *C = second();
    Value *Left = IsSigned ? signedNumber(B, Call.getArgOperand(0)) : A;
    Value *Right = IsSigned ? signedNumber(B, Call.getArgOperand(1)) : C;
    return choose(Predicate, Left, Right, A, C);
  };
  auto ordered = [&](CmpInst::Predicate Less, bool IsSigned) {
    auto operand = [&](unsigned K) {
      Value *V = Call.getArgOperand(K);
      return IsSigned ? signedNumber(B, V) : number(V);
    };
    Value *Left = operand(0), *Right = operand(1);
    Value *Order = B.CreateSub(compareScalars(B, Less, Right, Left),
                               compareScalars(B, Less, Left, Right));
    Type *Register = B.getIntNTy(registerWidth(Bits));
    return masked(B, B.CreateSExtOrTrunc(Order, Register), Bits);
  };
  Constant *Zero = ConstantInt::get(A->getType(), 0);
  switch (Call.getIntrinsicID()) {
  case Intrinsic::ctpop:
    return countBits(B, A);
  case Intrinsic::ctlz:
    return B.CreateSub(ConstantInt::get(A->getType(), Bits),
                       countBits(B, smeared(B, A)));
  case Intrinsic::cttz:
    return countBits(
        B,
        masked(B,
               B.CreateAnd(B.CreateNot(A),
                           B.CreateSub(A, ConstantInt::get(A->getType(), 1))),
               Bits));
  case Intrinsic::bswap:
    return B.CreateLShr(reversed(B, A, 8, Width), Width - Bits);
  case Intrinsic::bitreverse:
    return B.CreateLShr(reversed(B, A, 1, Width), Width - Bits);
  case Intrinsic::abs: {
    Value *Signed = signedNumber(B, Call.getArgOperand(0));
    return choose(CmpInst::ICMP_SLT, Signed, Zero,
                  masked(B, B.CreateNeg(A), Bits), A);
  }
  case Intrinsic::umin:
    return lesser(CmpInst::ICMP_ULT);
  case Intrinsic::umax:
    return lesser(CmpInst::ICMP_UGT);
  case Intrinsic::smin:
    return lesser(CmpInst::ICMP_SLT);
  case Intrinsic::smax:
    return lesser(CmpInst::ICMP_SGT);
  case Intrinsic::ucmp:
    return ordered(CmpInst::ICMP_ULT, false);
  case Intrinsic::scmp:
    return ordered(CmpInst::ICMP_SLT, true);
  case Intrinsic::fshl:
  case Intrinsic::fshr: {
    const bool IsLeft = Call.getIntrinsicID() == Intrinsic::fshl;
    Value *Low = second();
    Value *Last = ConstantInt::get(A->getType(), Bits - 1);
    // Modulo the size: of one that is no power of two (_BitInt), only constants
    // come here (isScalarIntrinsic).
    Value *By = number(Call.getArgOperand(2));
    if (auto *Fixed = dyn_cast<ConstantInt>(By))
      By = ConstantInt::get(A->getType(), Fixed->getZExtValue() % Bits);
    else
      By = B.CreateAnd(By, Last);
    Value *Rest = B.CreateSub(Last, By);
    Value *One = ConstantInt::get(A->getType(), 1);
    Value *Result = IsLeft
                        ? B.CreateOr(B.CreateShl(A, By),
                                     B.CreateLShr(B.CreateLShr(Low, One), Rest))
                        : B.CreateOr(B.CreateShl(B.CreateShl(A, One), Rest),
                                     B.CreateLShr(Low, By));
    return masked(B, Result, Bits);
  }
  case Intrinsic::uadd_sat: {
    Value *C = second();
    Value *Sum = masked(B, B.CreateAdd(A, C), Bits);
    Constant *Ones =
        ConstantInt::get(A->getType(), APInt::getLowBitsSet(Width, Bits));
    return choose(CmpInst::ICMP_ULT, Sum, A, Ones, Sum);
  }
  case Intrinsic::usub_sat: {
    Value *C = second();
    return choose(CmpInst::ICMP_ULT, A, C, Zero, B.CreateSub(A, C));
  }
  default:
    // A copy from a lane of what is the same in all of them.
    return A;
  }
}

Value *ScalarMaterializer::element(IRBuilderBase &B, const Words &All,
                                   unsigned Index, unsigned Bits) {
  if (Bits == 64) {
    auto wide = [&](unsigned I) {
      return I < All.size() ? B.CreateZExt(All[I], B.getInt64Ty())
                            : B.getInt64(0);
    };
    return B.CreateOr(wide(2 * Index), B.CreateShl(wide(2 * Index + 1), 32));
  }
  const unsigned At = Index * Bits;
  return masked(B, B.CreateLShr(All[At / 32], At % 32), Bits);
}

void ScalarMaterializer::setElement(IRBuilderBase &B, Words &All,
                                    unsigned Index, unsigned Bits, Value *New) {
  if (Bits == 64) {
    All[2 * Index] = B.CreateTrunc(New, B.getInt32Ty());
    All[2 * Index + 1] = B.CreateTrunc(B.CreateLShr(New, 32), B.getInt32Ty());
    return;
  }
  const unsigned At = Index * Bits;
  Value *&Word = All[At / 32];
  const APInt Others = ~APInt::getBitsSet(32, At % 32, At % 32 + Bits);
  Word = B.CreateOr(B.CreateAnd(Word, Others), B.CreateShl(New, At % 32));
}

ScalarMaterializer::Words ScalarMaterializer::words(Value *V) {
  if (auto It = Tuples.find(V); It != Tuples.end())
    return It->second;
  IRBuilder<> B(V->getContext());
  auto *I = dyn_cast<Instruction>(V);
  const unsigned Count =
      divideCeil(unsigned(V->getType()->getPrimitiveSizeInBits()), 32);
  if (hasScalarForm(*V->getType())) {
    Value *Number = number(V);
    if (Count == 1)
      return {Number};
    if (I)
      moveBehind(B, *V);
    Words All(2, B.getInt32(0));
    setElement(B, All, 0, 64, Number);
    return All;
  }
  if (!I || isPlain(*V)) {
    Words All;
    if (I)
      moveBehind(B, *V);
    else if (isa<UndefValue>(V))
      V = Constant::getNullValue(V->getType());
    Value *Cast =
        B.CreateBitCast(V, FixedVectorType::get(B.getInt32Ty(), Count));
    for (unsigned K = 0; K < Count; ++K)
      All.push_back(B.CreateExtractElement(Cast, K));
    return I ? Tuples[V] = All : All;
  }
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    B.SetInsertPoint(Phi);
    Words All;
    for (unsigned K = 0; K < Count; ++K)
      All.push_back(B.CreatePHI(B.getInt32Ty(), Phi->getNumIncomingValues()));
    Tuples[V] = All;
    for (unsigned P = 0; P < Phi->getNumIncomingValues(); ++P)
      for (auto [New, Word] : zip_equal(All, words(Phi->getIncomingValue(P))))
        cast<PHINode>(New)->addIncoming(Word, Phi->getIncomingBlock(P));
    return All;
  }
  B.SetInsertPoint(I);
  Words All = computeWords(B, *I);
  return Tuples[V] = All;
}

ScalarMaterializer::Words ScalarMaterializer::computeWords(IRBuilderBase &B,
                                                           Instruction &I) {
  const unsigned Bits = I.getType()->getScalarSizeInBits();
  switch (I.getOpcode()) {
  case Instruction::Select: {
    Words All, Others = words(I.getOperand(2));
    Value *Condition = number(I.getOperand(0));
    for (auto [A, C] : zip_equal(words(I.getOperand(1)), Others))
      All.push_back(selectScalar(B, Condition, A, C));
    return All;
  }
  case Instruction::InsertElement: {
    Words All = words(I.getOperand(0));
    setElement(B, All, cast<ConstantInt>(I.getOperand(2))->getZExtValue(), Bits,
               number(I.getOperand(1)));
    return All;
  }
  case Instruction::ShuffleVector: {
    auto &Shuffle = cast<ShuffleVectorInst>(I);
    const unsigned Count =
        cast<FixedVectorType>(I.getOperand(0)->getType())->getNumElements();
    Words From[] = {words(I.getOperand(0)), words(I.getOperand(1))};
    Words All(I.getType()->getPrimitiveSizeInBits() / 32, B.getInt32(0));
    for (auto [To, Index] : enumerate(Shuffle.getShuffleMask()))
      if (Index >= 0)
        setElement(B, All, To, Bits,
                   element(B, From[unsigned(Index) >= Count],
                           unsigned(Index) % Count, Bits));
    return All;
  }
  default: // Casts and freeze.
    return words(I.getOperand(0));
  }
}

Value *ScalarMaterializer::joinWords(IRBuilderBase &B, const Words &All,
                                     Type &T) {
  Value *Result =
      PoisonValue::get(FixedVectorType::get(B.getInt32Ty(), All.size()));
  for (auto [K, Word] : enumerate(All))
    Result = B.CreateInsertElement(Result, Word, K);
  return B.CreateBitCast(Result, &T);
}

} // namespace luthier
