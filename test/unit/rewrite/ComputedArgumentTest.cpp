// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed arguments of constants are constants: forms that no instruction on
// the emulator shows, checked against the manuals' tables.
#include "hook/ComputedArgument.h"
#include "amdgpu/TargetTraits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace luthier {
namespace {

uint64_t compute(ArgumentForm Form, uint32_t Detail,
                 std::initializer_list<uint64_t> Inputs) {
  LLVMContext Context;
  Module M("test", Context);
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::ExternalLinkage, "f", M);
  IRBuilder<> B(BasicBlock::Create(Context, "", F));
  SmallVector<Value *, 8> Values;
  for (uint64_t Input : Inputs)
    Values.push_back(B.getInt64(Input));
  return cast<ConstantInt>(computeArgument(B, Form, Detail, Values))
      ->getZExtValue();
}

TEST(ComputedArgument, SizesOfDirectLoads) {
  // M0[18:16]: byte, 16 bits, dword, and the first two with a sign.
  const std::pair<uint64_t, uint64_t> Types[] = {
      {0, 1}, {1, 2}, {2, 4}, {4, 1}, {5, 2}};
  for (auto [Type, Bytes] : Types)
    EXPECT_EQ(compute(ArgumentForm::DirectSize, 0, {Type << 16 | 0x48}), Bytes)
        << Type;
}

TEST(ComputedArgument, SizesOfFormats) {
  auto gfx9 = [](uint64_t DataFormat) {
    return compute(ArgumentForm::FormatSize, uint32_t(BufferLayout::Gfx9),
                   {DataFormat << 15 | 7 << 12 | 0xfac});
  };
  const uint64_t ByDataFormat[] = {0, 1, 2, 2, 4, 4,  4,  4,
                                   4, 4, 4, 8, 8, 12, 16, 0};
  for (unsigned Format = 0; Format < 16; ++Format)
    EXPECT_EQ(gfx9(Format), ByDataFormat[Format]) << Format;
  auto gfx10 = [](uint64_t Format) {
    return compute(ArgumentForm::FormatSize, uint32_t(BufferLayout::Gfx10),
                   {Format << 12 | 0xfac});
  };
  EXPECT_EQ(gfx10(6), 1u) << "8_SINT";
  EXPECT_EQ(gfx10(13), 2u) << "16_FLOAT";
  EXPECT_EQ(gfx10(22), 4u) << "32_FLOAT";
  EXPECT_EQ(gfx10(61), 4u) << "8_8_8_8_SINT";
  EXPECT_EQ(gfx10(62), 8u) << "32_32_UINT";
  EXPECT_EQ(gfx10(74), 12u) << "32_32_32_FLOAT";
  EXPECT_EQ(gfx10(77), 16u) << "32_32_32_32_FLOAT";
  auto gfx11 = [](uint64_t Format) {
    return compute(ArgumentForm::FormatSize, uint32_t(BufferLayout::Gfx11),
                   {Format << 12 | 0xfac});
  };
  EXPECT_EQ(gfx11(22), 4u) << "32_FLOAT";
  EXPECT_EQ(gfx11(30), 4u) << "10_11_11_FLOAT";
  EXPECT_EQ(gfx11(47), 4u) << "8_8_8_8_SINT";
  EXPECT_EQ(gfx11(48), 8u) << "32_32_UINT";
  EXPECT_EQ(gfx11(58), 12u) << "32_32_32_UINT";
  EXPECT_EQ(gfx11(63), 16u) << "32_32_32_32_FLOAT";
}

TEST(ComputedArgument, Halves) {
  EXPECT_EQ(compute(ArgumentForm::Half, 0, {0xaabbccdd}), 0xccddu);
  EXPECT_EQ(compute(ArgumentForm::Half, 16, {0xaabbccdd}), 0xaabbu);
}

} // namespace
} // namespace luthier
