// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random functions compute.
#include "RandomBody.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace luthier::test {

Value *Body::call() {
  Function *Callee = Callees[D.below(Callees.size())];
  Value *Target = Callee;
  if (Callees.size() > 1 && D.chance(30))
    Target =
        B.CreateSelect(condition(), Callee, Callees[D.below(Callees.size())]);
  return B.CreateCall(Callee->getFunctionType(), Target,
                      {any(), any(), B.getInt32(D.between(0, 2))});
}

/// A carry through VCC or SCC.
Value *Body::wide(Value *X, Value *Y) {
  Type *I64 = B.getInt64Ty();
  Value *Wide =
      B.CreateOr(B.CreateShl(B.CreateZExt(X, I64), 32), B.CreateZExt(Y, I64));
  Wide = B.CreateAdd(Wide, B.CreateMul(B.CreateZExt(any(), I64), Wide));
  return B.CreateTrunc(B.CreateLShr(Wide, 29), I32);
}

Value *Body::packed(Value *X, Value *Y) {
  Type *Pair = FixedVectorType::get(B.getInt16Ty(), 2);
  Value *A = B.CreateBitCast(X, Pair), *Z = B.CreateBitCast(Y, Pair);
  Value *Sum = B.CreateAdd(B.CreateMul(A, Z), Z);
  if (D.chance(50))
    return B.CreateBitCast(Sum, I32);
  // Selecting parts of registers is SDWA's work.
  return B.CreateZExt(B.CreateExtractElement(Sum, D.below(2)), I32);
}

Value *Body::integers(Value *X, Value *Y) {
  switch (D.below(11)) {
  case 0:
    return B.CreateAdd(X, Y);
  case 1:
    return B.CreateSub(X, Y);
  case 2:
    return B.CreateMul(X, Y);
  case 3:
    return B.CreateXor(X, B.CreateLShr(Y, D.between(1, 31)));
  case 4:
    return B.CreateShl(X, B.CreateAnd(Y, 31));
  case 5:
    return B.CreateAShr(X, B.CreateAnd(Y, 31));
  case 6:
    return B.CreateSelect(condition(), X, Y);
  case 7:
    return B.CreateOr(B.CreateAnd(X, D.bits()), Y);
  case 8:
    return wide(X, Y);
  case 9:
    return packed(X, Y);
  default:
    return B.CreateURem(X, B.CreateOr(B.CreateAnd(Y, 0xfff), 1));
  }
}

Value *Body::floats(Value *X, Value *Y) {
  Type *Float = B.getFloatTy(), *Double = B.getDoubleTy();
  switch (D.below(4)) {
  case 0: {
    Value *A = B.CreateUIToFP(B.CreateAnd(X, 0xffff), Float);
    Value *Z = B.CreateUIToFP(B.CreateOr(B.CreateAnd(Y, 0xff), 1), Float);
    return B.CreateFPToUI(B.CreateFDiv(A, Z), I32);
  }
  case 1: {
    Value *A = B.CreateSIToFP(X, Double);
    return B.CreateBitCast(
        B.CreateFPTrunc(B.CreateFAdd(A, B.CreateUIToFP(Y, Double)), Float),
        I32);
  }
  case 2: { // Depends on the rounding mode.
    Value *A = B.CreateUIToFP(X, Float), *Z = B.CreateUIToFP(Y, Float);
    return B.CreateBitCast(B.CreateFAdd(B.CreateFMul(A, Z), A), I32);
  }
  default: { // Depends on whether denormals are kept.
    Value *Tiny = B.CreateBitCast(B.CreateAnd(X, 0x00ffffff), Float);
    return B.CreateBitCast(
        B.CreateFAdd(Tiny, B.CreateBitCast(B.CreateAnd(Y, 0x007fffff), Float)),
        I32);
  }
  }
}

/// Values of other lanes, where those are active.
Value *Body::lanes(Value *X, Value *Y) {
  // quad_perm, row_shl, row_shr, row_ror, row_mirror.
  const unsigned Controls[] = {D.below(256), 0x100 + D.between(1, 15),
                               0x110 + D.between(1, 15),
                               0x120 + D.between(1, 15), 0x140};
  switch (D.below(4)) {
  case 0:
    return B.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {I32}, {X});
  case 1: {
    Value *Mask = B.CreateIntrinsic(Intrinsic::amdgcn_ballot, {B.getInt64Ty()},
                                    {condition()});
    return B.CreateTrunc(B.CreateUnaryIntrinsic(Intrinsic::ctpop, Mask), I32);
  }
  case 2:
    return B.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {I32},
                             {X, Y, B.getInt32(Controls[D.below(5)]),
                              B.getInt32(D.chance(70) ? 15 : D.below(16)),
                              B.getInt32(D.chance(70) ? 15 : D.below(16)),
                              B.getInt1(D.chance(50))});
  default:
    return B.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute, {},
                             {B.CreateShl(Y, 2), X});
  }
}

/// An element of a vector, chosen when the kernel runs.
Value *Body::indexed(Value *X) {
  const unsigned Count = 4u << D.below(3);
  Value *V = PoisonValue::get(FixedVectorType::get(I32, Count));
  for (unsigned N = 0; N != Count; ++N)
    V = B.CreateInsertElement(V, any(), N);
  if (D.chance(50))
    V = B.CreateInsertElement(V, X, B.CreateAnd(any(), Count - 1));
  return B.CreateExtractElement(V, B.CreateAnd(X, Count - 1));
}

Value *Body::ownMemory(Value *X) {
  constexpr AtomicRMWInst::BinOp Operations[] = {
      AtomicRMWInst::Add, AtomicRMWInst::Xor, AtomicRMWInst::UMax,
      AtomicRMWInst::Xchg};
  const SyncScope::ID Agent = F.getContext().getOrInsertSyncScopeID("agent");
  if (D.chance(50))
    return B.CreateAtomicRMW(Operations[D.below(4)], Own, X, MaybeAlign(4),
                             AtomicOrdering::Monotonic, Agent);
  Value *Swapped = B.CreateAtomicCmpXchg(Own, any(), X, MaybeAlign(4),
                                         AtomicOrdering::Monotonic,
                                         AtomicOrdering::Monotonic, Agent);
  return B.CreateExtractValue(Swapped, 0);
}

Value *Body::memory(Value *X, Value *Y) {
  const unsigned What = D.below(5);
  if (Array && What < 2) {
    Value *At = B.CreateGEP(I32, Array, B.CreateAnd(X, ArrayWords - 1));
    if (D.chance(30))
      At = B.CreateAddrSpaceCast(At, PointerType::get(F.getContext(), 0));
    if (What == 0)
      B.CreateStore(Y, At);
    return B.CreateLoad(I32, At);
  }
  if (Own && What == 2)
    return ownMemory(X);
  if (!Input)
    return B.CreateNot(X);
  if (D.chance(60))
    return B.CreateLoad(
        I32, B.CreateGEP(I32, Input, B.CreateAnd(X, InputWords - 1)));
  // Several that may become one, or a group.
  Value *First = B.CreateAnd(X, (InputWords - 1) & ~15u);
  Value *Sum = Y;
  for (unsigned N = 0, Count = D.between(2, 5); N != Count; ++N)
    Sum = B.CreateAdd(
        Sum,
        B.CreateLoad(I32, B.CreateGEP(I32, Input,
                                      B.CreateAdd(First, B.getInt32(N * 2)))));
  return Sum;
}

Value *Body::operation() {
  Value *X = any(), *Y = any();
  const unsigned What = D.below(Callees.empty() ? 100 : 110);
  if (What < 52)
    return integers(X, Y);
  if (What < 64)
    return floats(X, Y);
  if (What < 79)
    return lanes(X, Y);
  if (What < 96)
    return memory(X, Y);
  if (What < 100)
    return indexed(X);
  return call();
}

void Body::matrix(Intrinsic::ID Operation) {
  Type *Four = FixedVectorType::get(I32, 4);
  Value *Sum = PoisonValue::get(Four);
  for (unsigned N = 0; N != 4; ++N)
    Sum = B.CreateInsertElement(Sum, any(), N);
  for (unsigned N = D.between(1, 3); N; --N)
    Sum = B.CreateIntrinsic(
        Operation, {},
        {any(), any(), Sum, B.getInt32(0), B.getInt32(0), B.getInt32(0)});
  for (unsigned N = 0; N != 4; ++N)
    B.CreateStore(B.CreateExtractElement(Sum, N), pick());
}

} // namespace luthier::test
