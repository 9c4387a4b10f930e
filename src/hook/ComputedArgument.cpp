// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ComputedArgument.h"
#include "amdgpu/BufferFormats.h"
#include "codeobject/HiddenArguments.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include <cassert>

using namespace llvm;

namespace luthier {
namespace {

class Emitter {
public:
  Emitter(IRBuilderBase &B, ArrayRef<Value *> Inputs) : B(B), Inputs(Inputs) {}

  Value *emit(ArgumentForm Form, uint32_t Detail);

private:
  Value *word(unsigned I) { return B.CreateTrunc(Inputs[I], B.getInt32Ty()); }
  /// Of 32 bits and without a sign.
  Value *wide(unsigned I) { return zext(word(I)); }
  Value *quad(unsigned I) {
    return B.CreateZExtOrTrunc(Inputs[I], B.getInt64Ty());
  }
  /// An immediate, which has a sign.
  Value *offset(unsigned I) { return B.CreateSExt(word(I), B.getInt64Ty()); }
  Value *zext(Value *V) { return B.CreateZExt(V, B.getInt64Ty()); }
  Value *bits(Value *V, unsigned First, unsigned Count) {
    return B.CreateAnd(B.CreateLShr(V, First), (uint64_t(1) << Count) - 1);
  }
  Value *add(Value *A, Value *C) { return B.CreateAdd(A, C); }
  Value *lane();
  /// A segment's byte as a generic address.
  Value *generic(Value *Offset32, unsigned AddressSpace);
  /// Base address of a descriptor.
  Value *bufferBase(unsigned FirstWord);
  Value *buffer(BufferLayout Layout);
  Value *formatSize(BufferLayout Layout);
  /// A hidden argument that lies in one place in all versions.
  Value *hidden(HiddenArgument Kind);
  /// Dwords between the operands of a two-address operation on LDS.
  Value *distance(Value *Address, Value *InAddress);

  IRBuilderBase &B;
  ArrayRef<Value *> Inputs;
};

Value *Emitter::lane() {
  Value *All = B.getInt32(-1);
  Value *Low =
      B.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo, {}, {All, B.getInt32(0)});
  // Adds nothing in waves of 32.
  return B.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_hi, {}, {All, Low});
}

Value *Emitter::generic(Value *Offset32, unsigned AddressSpace) {
  LLVMContext &C = B.getContext();
  Value *Segment =
      B.CreateIntToPtr(Offset32, PointerType::get(C, AddressSpace));
  // Offset 0, or -1, is an ordinary place here, not a null pointer.
  Type *Flat = PointerType::get(C, AMDGPUAS::FLAT_ADDRESS);
  Value *Pointer = B.CreateIntrinsic(Intrinsic::amdgcn_addrspacecast_nonnull,
                                     {Flat, Segment->getType()}, {Segment});
  return B.CreatePtrToInt(Pointer, B.getInt64Ty());
}

Value *Emitter::bufferBase(unsigned FirstWord) {
  Value *High = B.CreateAnd(word(FirstWord + 1), 0xffff);
  return B.CreateOr(wide(FirstWord), B.CreateShl(zext(High), 32));
}

/// Interleaved, records lie in groups of IndexStride: first one element of each
/// record of the group, then the next element of each, and so on.
Value *Emitter::buffer(BufferLayout Layout) {
  Value *Word1 = word(1), *Word3 = word(2);
  Value *AddsLane = B.CreateIsNotNull(bits(Word3, 23, 1));
  Value *Stride = bits(Word1, 16, 14);
  if (Layout == BufferLayout::Gfx9)
    Stride = B.CreateOr(
        Stride, B.CreateSelect(AddsLane, B.CreateShl(bits(Word3, 15, 4), 14),
                               B.getInt32(0)));
  Value *Index = add(word(3), B.CreateSelect(AddsLane, lane(), B.getInt32(0)));
  Value *Offset = add(word(4), word(6));
  Value *IsSwizzled, *ElementLog2 = B.getInt32(2);
  if (Layout == BufferLayout::Gfx11) {
    Value *Code = bits(Word1, 30, 2);
    IsSwizzled = B.CreateIsNotNull(Code);
    ElementLog2 = add(Code, B.getInt32(1));
  } else {
    IsSwizzled = B.CreateIsNotNull(bits(Word1, 31, 1));
  }
  Value *StrideLog2 = add(bits(Word3, 21, 2), B.getInt32(3));
  Value *Group = B.CreateLShr(Index, StrideLog2);
  Value *InGroup = B.CreateSub(Index, B.CreateShl(Group, StrideLog2));
  Value *Element = B.CreateLShr(Offset, ElementLog2);
  Value *Aligned = B.CreateShl(Element, ElementLog2);
  Value *InElement = B.CreateSub(Offset, Aligned);
  Value *Rows = add(B.CreateMul(zext(Group), zext(Stride)), zext(Aligned));
  Value *Swizzled =
      add(B.CreateShl(Rows, zext(StrideLog2)),
          add(B.CreateShl(zext(InGroup), zext(ElementLog2)), zext(InElement)));
  Value *Linear = add(B.CreateMul(zext(Index), zext(Stride)), zext(Offset));
  Value *InBuffer = B.CreateSelect(IsSwizzled, Swizzled, Linear);
  return add(bufferBase(0), add(wide(5), InBuffer));
}

Value *Emitter::formatSize(BufferLayout Layout) {
  Value *Word3 = word(0);
  Value *Format = Layout == BufferLayout::Gfx9    ? bits(Word3, 15, 4)
                  : Layout == BufferLayout::Gfx10 ? bits(Word3, 12, 7)
                                                  : bits(Word3, 12, 6);
  Value *Size = B.getInt64(0);
  for (const amdgpu::FormatSize &Row : reverse(amdgpu::formatSizes(Layout)))
    Size = B.CreateSelect(B.CreateICmpULE(Format, B.getInt32(Row.LastFormat)),
                          B.getInt64(Row.Bytes), Size);
  return Size;
}

Value *Emitter::hidden(HiddenArgument Kind) {
  const HiddenArgumentInfo &Info = infoOf(Kind);
  assert(Info.OffsetV4 == Info.OffsetV5);
  Value *First =
      B.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, ArrayRef<Value *>());
  Value *Place =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), First, Info.OffsetV5);
  return B.CreateAlignedLoad(B.getIntNTy(8 * Info.Bytes), Place,
                             Align(Info.Bytes));
}

Value *Emitter::distance(Value *Address, Value *InAddress) {
  Value *Fixed = B.CreateAShr(B.CreateShl(word(1), 17), 17);
  return B.CreateSelect(InAddress, B.CreateAShr(Address, 17), Fixed);
}

Value *Emitter::emit(ArgumentForm Form, uint32_t Detail) {
  auto byLane = [&] { return B.CreateMul(lane(), B.getInt32(Detail)); };
  switch (Form) {
  case ArgumentForm::Half:
    return zext(bits(word(0), Detail, 16));
  case ArgumentForm::Pair:
    return B.CreateOr(wide(0), B.CreateShl(wide(1), 32));
  case ArgumentForm::Global:
    return add(add(quad(0), wide(1)), offset(2));
  case ArgumentForm::GlobalByLane:
    return add(add(quad(0), offset(1)), zext(byLane()));
  case ArgumentForm::Scalar:
    return add(B.CreateAnd(quad(0), ~uint64_t(3)),
               B.CreateAnd(add(wide(1), offset(2)), ~uint64_t(Detail)));
  case ArgumentForm::ScalarBuffer:
    return add(bufferBase(0),
               B.CreateAnd(add(wide(2), offset(3)), ~uint64_t(Detail)));
  case ArgumentForm::ScalarScratch:
    return B.CreateAnd(add(add(quad(0), B.CreateShl(wide(1), 6)), offset(2)),
                       ~uint64_t(3));
  case ArgumentForm::Private:
    return generic(add(add(word(0), word(1)), word(2)),
                   AMDGPUAS::PRIVATE_ADDRESS);
  case ArgumentForm::Local:
    return generic(add(word(0), word(1)), AMDGPUAS::LOCAL_ADDRESS);
  case ArgumentForm::LocalByLane:
    return generic(add(add(bits(word(0), 0, 16), word(1)), byLane()),
                   AMDGPUAS::LOCAL_ADDRESS);
  case ArgumentForm::LocalFirst:
  case ArgumentForm::LocalSecond: {
    Value *Address = word(0);
    Value *InAddress = B.CreateIsNotNull(bits(word(1), 15, 1));
    Value *First = B.CreateSelect(InAddress, bits(Address, 0, 17), Address);
    if (Form == ArgumentForm::LocalSecond)
      First = add(First, B.CreateShl(distance(Address, InAddress), 2));
    return generic(First, AMDGPUAS::LOCAL_ADDRESS);
  }
  case ArgumentForm::Buffer:
    return buffer(BufferLayout(Detail));
  case ArgumentForm::DirectSize: {
    // Types 0 and 4 are bytes, 1 and 5 are of 16 bits, 2 is a dword.
    Value *Log2 = bits(word(0), 16, 2);
    return B.CreateShl(B.getInt64(1), zext(Log2));
  }
  case ArgumentForm::FormatSize:
    return formatSize(BufferLayout(Detail));
  case ArgumentForm::Variable:
    return add(quad(0), wide(1));
  case ArgumentForm::DispatchValue:
    return hidden(HiddenArgument::LaunchValue);
  }
  llvm_unreachable("every form is handled");
}

} // namespace

Value *computeArgument(IRBuilderBase &Builder, ArgumentForm Form,
                       uint32_t Detail, ArrayRef<Value *> Inputs) {
  return Emitter(Builder, Inputs).emit(Form, Detail);
}

} // namespace luthier
