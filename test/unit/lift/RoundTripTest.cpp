// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifting and emitting an unmodified kernel gives the same bytes, for every
// gfx90a kernel of the example programs and of rocRAND.
#include "codeobject/FatBinary.h"
#include "lift/Decoder.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "rewrite/Instrumenter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;

namespace {

struct Totals {
  unsigned Kernels = 0, Instructions = 0, NeedlessLiterals = 0;
};

/// The instruction that branch \p D goes to, by its place in the function.
unsigned targetOf(const DecodedInstruction &D,
                  const DenseMap<uint64_t, unsigned> &IndexOf) {
  return IndexOf.lookup(D.Address + D.Size +
                        4 * int64_t(int16_t(D.Inst.getOperand(0).getImm())));
}

/// A needless literal makes its instruction, and so the whole function, four
/// bytes longer. Nothing else may differ, but for the distances of branches
/// across such an instruction.
void expectOnlyLiteralsDiffer(ArrayRef<uint8_t> Original,
                              ArrayRef<uint8_t> Emitted,
                              const LiftedRepresentation &LR, Totals &Sum) {
  const amdgpu::MCTarget &Target = *LR.impl().Target;
  auto Before = cantFail(decode(Target, Original, 0));
  auto After = cantFail(decode(Target, Emitted, 0));
  ASSERT_EQ(Before.size(), After.size());
  DenseMap<uint64_t, unsigned> BeforeIndex, AfterIndex;
  for (unsigned I = 0; I < Before.size(); ++I) {
    BeforeIndex[Before[I].Address] = I;
    AfterIndex[After[I].Address] = I;
  }
  for (auto [B, A] : zip(Before, After)) {
    EXPECT_EQ(B.Inst.getOpcode(), A.Inst.getOpcode());
    if (B.HasNeedlessLiteral) {
      ++Sum.NeedlessLiterals;
      EXPECT_EQ(B.Size, A.Size + 4);
      ASSERT_EQ(B.Inst.getNumOperands(), A.Inst.getNumOperands());
      for (unsigned I = 0; I < B.Inst.getNumOperands(); ++I) {
        const MCOperand &X = B.Inst.getOperand(I), &Y = A.Inst.getOperand(I);
        ASSERT_EQ(X.isReg(), Y.isReg());
        if (X.isReg())
          EXPECT_EQ(X.getReg(), Y.getReg());
        else
          EXPECT_EQ(uint32_t(X.getImm()), uint32_t(Y.getImm()));
      }
    } else if (Target.instructions().get(B.Inst.getOpcode()).isBranch()) {
      EXPECT_EQ(targetOf(B, BeforeIndex), targetOf(A, AfterIndex));
    } else {
      EXPECT_EQ(Original.slice(B.Address, B.Size),
                Emitted.slice(A.Address, A.Size));
    }
  }
}

void roundTrip(std::shared_ptr<const CodeObject> Object,
               const KernelInfo &Kernel, Totals &Sum) {
  SCOPED_TRACE(Kernel.Name);
  auto LR = liftKernel(Object, Kernel);
  ASSERT_TRUE(bool(LR)) << toString(LR.takeError());
  ++Sum.Kernels;
  for (const auto &[Symbol, MF] : (*LR)->functions())
    for (const MachineBasicBlock &MBB : *MF)
      Sum.Instructions += MBB.size();
  auto Emitted = emitUninstrumented(**LR);
  ASSERT_TRUE(bool(Emitted)) << toString(Emitted.takeError());
  ArrayRef<uint8_t> Original =
      cantFail(Object->contents(Kernel.EntryAddress, Kernel.CodeSize));
  if ((*LR)->impl().NeedlessLiterals.empty())
    EXPECT_EQ(toHex(Original), toHex(ArrayRef<uint8_t>(*Emitted)));
  else
    expectOnlyLiteralsDiffer(Original, *Emitted, **LR, Sum);
}

/// All gfx90a kernels of \p Path whose target is, or is compatible with, the
/// setting of XNACK given; unset takes all.
Totals roundTripFile(StringRef Path, std::optional<bool> Xnack = {}) {
  Totals Sum;
  auto File = MemoryBuffer::getFile(Path);
  EXPECT_TRUE(bool(File)) << Path.str();
  auto Bundled = findCodeObjects(arrayRefFromStringRef((*File)->getBuffer()));
  EXPECT_TRUE(bool(Bundled)) << toString(Bundled.takeError());
  for (const BundledCodeObject &Entry : *Bundled) {
    if (Entry.Target.Processor != "gfx90a" ||
        (Xnack && Entry.Target.Xnack != Xnack))
      continue;
    auto Created = CodeObject::create(Entry.Bytes);
    EXPECT_TRUE(bool(Created)) << toString(Created.takeError());
    std::shared_ptr<const CodeObject> Object = std::move(*Created);
    for (const KernelInfo &Kernel : Object->kernels())
      roundTrip(Object, Kernel, Sum);
  }
  return Sum;
}

TEST(RoundTrip, KeepsEveryByteOfRocRandButNeedlessLiterals) {
  Totals Sum = roundTripFile(LUTHIER_TEST_ROCRAND, /*Xnack=*/false);
  EXPECT_EQ(Sum.Kernels, 80u);
  EXPECT_EQ(Sum.Instructions, 54707u);
  EXPECT_EQ(Sum.NeedlessLiterals, 6u);
}

TEST(RoundTrip, KeepsEveryByteOfRocRandForXnack) {
  Totals Sum = roundTripFile(LUTHIER_TEST_ROCRAND, /*Xnack=*/true);
  EXPECT_EQ(Sum.Kernels, 80u);
  EXPECT_EQ(Sum.NeedlessLiterals, 6u);
}

class ExampleRoundTrip : public ::testing::TestWithParam<const char *> {};

TEST_P(ExampleRoundTrip, KeepsEveryByte) {
  Totals Sum =
      roundTripFile(std::string(LUTHIER_TEST_EXAMPLES "/") + GetParam());
  EXPECT_GT(Sum.Kernels, 0u);
  EXPECT_EQ(Sum.NeedlessLiterals, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ExampleRoundTrip,
    ::testing::Values("vector-add", "saxpy", "matmul", "transpose", "reduction",
                      "histogram", "collatz", "nbody", "stencil", "prefix-scan",
                      "dot-product", "hash64", "axpy-half", "vector-add-fat",
                      "overlap", "fork-first"));

} // namespace
