// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifting and writing gives the same bytes, for every kernel of the example
// programs, of rocRAND, and of a source compiled for all targets; also where
// every instruction is encoded anew from the machine IR.
#include "../analysis/Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "codeobject/FatBinary.h"
#include "lift/Decoder.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "rewrite/emit/CodeWriter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

struct Totals {
  unsigned Kernels = 0, Functions = 0, Instructions = 0, NeedlessLiterals = 0;
  unsigned IgnoredBits = 0;
};

class RoundTrip {
public:
  RoundTrip(const CodeObject &Object, const LiftedRepresentation &LR,
            Totals &Sum)
      : Object(Object), LR(LR), Sum(Sum), Encoder(*LR.impl().Target) {}

  void run() {
    for (const auto &[Symbol, MF] : LR.functions())
      for (const MachineBasicBlock &MBB : *MF)
        for (const MachineInstr &MI : MBB) {
          checkOpcode(MI);
          if (auto It = LR.impl().Origins.find(&MI);
              It != LR.impl().Origins.end())
            OriginAt[It->second.Address] = It->second;
        }
    copied();
    reencoded();
  }

private:
  /// Tools expect the pseudo wherever there is one.
  void checkOpcode(const MachineInstr &MI) {
    const unsigned Pseudo =
        LR.impl().Target->opcodes().pseudoOpcode(MI.getOpcode());
    if (Pseudo != MI.getOpcode())
      ADD_FAILURE() << "not a pseudo: " << toText(MI);
  }

  static std::string toText(const MachineInstr &MI) {
    std::string Text;
    raw_string_ostream(Text) << MI;
    return StringRef(Text).trim().str();
  }

  uint64_t sizeOf(const LiftedSymbol &Symbol) const {
    if (Symbol.IsKernel)
      return LR.impl().codeSize();
    for (const FunctionInfo &F : Object.functions())
      if (F.Address == Symbol.Address)
        return F.Size;
    ADD_FAILURE() << "no function " << Symbol.Name;
    return 0;
  }

  void copied() {
    auto Written = writeCode(LR, Encoder, {});
    ASSERT_TRUE(bool(Written)) << toString(Written.takeError());
    for (auto [Function, Extent] : zip(LR.functions(), Written->Functions)) {
      const LiftedSymbol &Symbol = Function.first;
      auto Original = cantFail(Object.contents(Symbol.Address, sizeOf(Symbol)));
      ASSERT_EQ(Original.size(), Extent.End - Extent.Begin) << Symbol.Name;
      EXPECT_EQ(
          toHex(Original),
          toHex(ArrayRef(Written->Code).slice(Extent.Begin, Original.size())))
          << Symbol.Name;
      ++Sum.Functions;
    }
  }

  /// A needless literal makes its instruction, and so the function, four bytes
  /// longer. Nothing else may differ, but for the distances of branches.
  void reencoded() {
    auto Written = writeCode(LR, Encoder, {.Reencode = true});
    ASSERT_TRUE(bool(Written)) << toString(Written.takeError());
    DenseMap<uint64_t, uint64_t> AddressAt;
    for (const KeptInstruction &Kept : Written->Map)
      AddressAt[Kept.Offset] = Kept.Original;
    const amdgpu::MCTarget &Target = *LR.impl().Target;
    Decoder Decode(Target);
    for (const KeptInstruction &Kept : Written->Map) {
      ++Sum.Instructions;
      const Origin &From = OriginAt[Kept.Original];
      auto Before = cantFail(Object.contents(From.Address, From.Size));
      auto After = ArrayRef(Written->Code).slice(Kept.Offset, Kept.Size);
      if (toHex(Before) == toHex(After))
        continue;
      auto X = cantFail(Decode.first(Before, From.Address));
      auto Y = Decode.first(After, Kept.Offset);
      ASSERT_TRUE(bool(Y)) << toString(Y.takeError());
      const MCInstrDesc &Desc = Target.instructions().get(X.Inst.getOpcode());
      EXPECT_EQ(X.Inst.getOpcode(), Y->Inst.getOpcode());
      if (Desc.isBranch() && !Desc.isIndirectBranch()) {
        EXPECT_EQ(X.target(0), AddressAt.lookup(Y->target(0)));
      } else if (X.HasNeedlessLiteral) {
        ++Sum.NeedlessLiterals;
        EXPECT_EQ(X.Size, Y->Size + 4);
        EXPECT_TRUE(haveSameOperands(X.Inst, Y->Inst));
      } else if (X.Inst.getNumOperands() == Y->Inst.getNumOperands() &&
                 X.Size == Y->Size && haveSameOperands(X.Inst, Y->Inst)) {
        // LLVM 22 does not keep bits that mean nothing: the destination of
        // v_cmpx_e64 since gfx10, which earlier compilers left zero.
        ++Sum.IgnoredBits;
      } else {
        ADD_FAILURE() << Target.instructions().getName(X.Inst.getOpcode()).str()
                      << ": " << toHex(Before) << " became " << toHex(After);
      }
    }
  }

  static bool haveSameOperands(const MCInst &A, const MCInst &B) {
    return equal(A, B, [](const MCOperand &X, const MCOperand &Y) {
      return X.isReg()
                 ? Y.isReg() && X.getReg() == Y.getReg()
                 : Y.isImm() && uint32_t(X.getImm()) == uint32_t(Y.getImm());
    });
  }

  const CodeObject &Object;
  const LiftedRepresentation &LR;
  Totals &Sum;
  amdgpu::MachineEncoder Encoder;
  DenseMap<uint64_t, Origin> OriginAt;
};

void roundTrip(ArrayRef<uint8_t> Bytes, Totals &Sum) {
  auto Created = CodeObject::create(Bytes);
  ASSERT_TRUE(bool(Created)) << toString(Created.takeError());
  std::shared_ptr<const CodeObject> Object = std::move(*Created);
  for (const KernelInfo &Kernel : Object->kernels()) {
    SCOPED_TRACE(Object->target().str() + " " + Kernel.Name);
    auto LR = liftKernel(Object, Kernel);
    ASSERT_TRUE(bool(LR)) << toString(LR.takeError());
    ++Sum.Kernels;
    RoundTrip(*Object, **LR, Sum).run();
  }
}

/// All kernels of \p Path for \p Processor whose target is, or is compatible
/// with, the setting of XNACK given; unset takes all.
Totals roundTripFile(StringRef Path, StringRef Processor,
                     std::optional<bool> Xnack = {}) {
  Totals Sum;
  auto File = MemoryBuffer::getFile(Path);
  if (!File) {
    ADD_FAILURE() << "no file " << Path.str();
    return Sum;
  }
  auto Bundled = findCodeObjects(arrayRefFromStringRef((*File)->getBuffer()));
  if (!Bundled) {
    ADD_FAILURE() << toString(Bundled.takeError());
    return Sum;
  }
  for (const BundledCodeObject &Entry : *Bundled)
    if (Entry.Target.Processor == Processor &&
        (!Xnack || Entry.Target.Xnack == Xnack))
      roundTrip(Entry.Bytes, Sum);
  return Sum;
}

TEST(RoundTrip, KeepsEveryByteOfRocRand) {
  Totals Sum = roundTripFile(LUTHIER_TEST_ROCRAND, "gfx90a", /*Xnack=*/false);
  EXPECT_EQ(Sum.Kernels, 80u);
  EXPECT_EQ(Sum.Instructions, 54707u);
  EXPECT_EQ(Sum.NeedlessLiterals, 6u);
}

TEST(RoundTrip, KeepsEveryByteOfRocRandForXnack) {
  Totals Sum = roundTripFile(LUTHIER_TEST_ROCRAND, "gfx90a", /*Xnack=*/true);
  EXPECT_EQ(Sum.Kernels, 80u);
  EXPECT_EQ(Sum.NeedlessLiterals, 6u);
}

class RocRandRoundTrip : public ::testing::TestWithParam<const char *> {};

TEST_P(RocRandRoundTrip, KeepsEveryByte) {
  Totals Sum = roundTripFile(LUTHIER_TEST_ROCRAND, GetParam());
  EXPECT_EQ(Sum.Kernels, 80u);
  EXPECT_EQ(Sum.IgnoredBits, GetParam() == StringRef("gfx1030") ? 158u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Processors, RocRandRoundTrip,
                         ::testing::Values("gfx906", "gfx908", "gfx1030"));

using CompiledCase = std::tuple<TargetCase, const char *>;
class CompiledRoundTrip : public ::testing::TestWithParam<CompiledCase> {};

TEST_P(CompiledRoundTrip, KeepsEveryByte) {
  const auto &[Target, Level] = GetParam();
  Totals Sum = roundTripFile(LUTHIER_TEST_CODE_OBJECTS + nameOf(Target) + "-O" +
                                 Level + ".co",
                             Target.Processor);
  EXPECT_EQ(Sum.Kernels, 13u);
  EXPECT_EQ(Sum.IgnoredBits, 0u);
  // leaf, recursive, many, exported, and more without inlining.
  EXPECT_GE(Sum.Functions, 17u);
}

INSTANTIATE_TEST_SUITE_P(AllTargets, CompiledRoundTrip,
                         ::testing::Combine(::testing::ValuesIn(allTargets()),
                                            ::testing::Values("0", "1", "3",
                                                              "s")),
                         [](const auto &Info) {
                           return nameOf(std::get<0>(Info.param)) + "_O" +
                                  std::get<1>(Info.param);
                         });

class ExampleRoundTrip : public ::testing::TestWithParam<const char *> {};

TEST_P(ExampleRoundTrip, KeepsEveryByte) {
  Totals Sum = roundTripFile(
      std::string(LUTHIER_TEST_EXAMPLES "/") + GetParam(), "gfx90a");
  EXPECT_GT(Sum.Kernels, 0u);
  EXPECT_EQ(Sum.IgnoredBits, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ExampleRoundTrip,
    ::testing::Values("vector-add", "saxpy", "matmul", "transpose", "reduction",
                      "histogram", "collatz", "nbody", "stencil", "prefix-scan",
                      "dot-product", "hash64", "axpy-half", "vector-add-fat",
                      "overlap", "fork-first", "calls", "calls-O0"));

} // namespace
