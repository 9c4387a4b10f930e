// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every encoding that LLVM knows for a target, with random operands: as machine
// IR it says everything that the bytes say. Of each pattern of the first
// sixteen bits a few are tried. Encodings that LLVM itself does not give back
// (bits that mean nothing) do not count.
#include "../analysis/Kernels.h"
#include "amdgpu/MachineEncoder.h"
#include "lift/Decoder.h"
#include "lift/FunctionLifter.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCFixup.h"
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Encodings : public ::testing::TestWithParam<TargetCase> {
protected:
  Encodings()
      : Target(cantFail(amdgpu::MCTarget::get(
            GetParam().Processor,
            GetParam().isGfx9()
                ? ""
                : "+wavefrontsize" + std::to_string(GetParam().WaveSize)))),
        Decode(Target), Context(Target.triple(), &Target.asmInfo(),
                                &Target.registers(), &Target.subtarget()),
        Emitter(Target.target().createMCCodeEmitter(Target.instructions(),
                                                    Context)),
        Encoder(Target) {
    Impl.Target = &Target;
    Impl.TM = &Target.describingMachine();
    Impl.M = std::make_unique<Module>("m", Impl.Context);
    Impl.M->setTargetTriple(Target.triple());
    Impl.M->setDataLayout(Impl.TM->createDataLayout());
    Impl.MMI = std::make_unique<MachineModuleInfo>(Impl.TM);
  }

  MachineFunction &createFunction() {
    Function *F = Function::Create(
        FunctionType::get(Type::getVoidTy(Impl.Context), false),
        GlobalValue::ExternalLinkage, "f", *Impl.M);
    F->addFnAttr("target-cpu", Impl.TM->getTargetCPU());
    F->addFnAttr("target-features", Impl.TM->getTargetFeatureString());
    new UnreachableInst(Impl.Context, BasicBlock::Create(Impl.Context, "", F));
    return Impl.MMI->getOrCreateMachineFunction(*F);
  }

  /// LLVM gives back the same bytes for what it decoded them to.
  bool isCanonical(const DecodedInstruction &D, ArrayRef<uint8_t> Bytes) {
    SmallVector<char, 20> Again;
    SmallVector<MCFixup, 2> Fixups;
    Emitter->encodeInstruction(D.Inst, Again, Fixups, Target.subtarget());
    return Fixups.empty() &&
           StringRef(Again.data(), Again.size()) == toStringRef(Bytes);
  }

  const amdgpu::MCTarget &Target;
  Decoder Decode;
  MCContext Context;
  std::unique_ptr<MCCodeEmitter> Emitter;
  LiftedRepresentation::Impl Impl;
  amdgpu::MachineEncoder Encoder;
};

TEST_P(Encodings, AreKeptByTheMachineIR) {
  constexpr unsigned Tries = 6;
  std::mt19937 Random(1);
  std::vector<DecodedInstruction> Code;
  std::vector<std::vector<uint8_t>> Bytes;
  std::set<unsigned> Opcodes;
  uint64_t Address = 0x1000;
  for (unsigned First = 0; First < 0x10000; ++First)
    for (unsigned Try = 0; Try < Tries; ++Try) {
      // Must-be-zero bits are likelier zero; literals are rare in the second.
      uint32_t Words[5] = {First << 16 | uint32_t(Random() & 0xffff)};
      for (unsigned I = 1; I < 5; ++I)
        Words[I] = Random() & (Try & 1 ? Random() : ~0u) &
                   (Try & 2 ? 0x0fffffff : ~0u) & (Try & 4 ? 0x1ff : ~0u);
      ArrayRef<uint8_t> Given(reinterpret_cast<uint8_t *>(Words),
                              sizeof(Words));
      auto D = Decode.first(Given, Address);
      if (!D) {
        consumeError(D.takeError());
        continue;
      }
      Given = Given.take_front(D->Size);
      const MCInstrDesc &Desc = Target.instructions().get(D->Inst.getOpcode());
      if (D->HasNeedlessLiteral || Desc.isTerminator() || Desc.isBranch() ||
          !isCanonical(*D, Given))
        continue;
      Opcodes.insert(D->Inst.getOpcode());
      Address += D->Size;
      Bytes.push_back(Given.vec());
      Code.push_back(std::move(*D));
    }
  EXPECT_GT(Opcodes.size(), 800u);

  MachineFunction &MF = createFunction();
  if (Error E = liftFunction(Code, 0x1000, {}, MF, Impl))
    FAIL() << toString(std::move(E));
  auto Next = Bytes.begin();
  std::set<std::string> Wrong;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      amdgpu::CodeLayout Layout = Encoder.createLayout();
      std::string Text;
      raw_string_ostream(Text) << MI;
      if (Error E = Encoder.encode(MI, Layout, [](auto &) { return 0; })) {
        Wrong.insert(Text + toString(std::move(E)));
      } else if (auto After = cantFail(Layout.finish()); After != *Next) {
        Wrong.insert(Text + toHex(ArrayRef(*Next)) + " became " +
                     toHex(ArrayRef(After)));
      }
      ++Next;
    }
  EXPECT_EQ(Next, Bytes.end());
  unsigned Shown = 0;
  for (const std::string &Text : Wrong)
    if (Shown++ < 40)
      ADD_FAILURE() << Text;
  EXPECT_EQ(Wrong.size(), 0u);
}

/// LLVM takes it for the mark of a literal.
TEST_P(Encodings, HaveAConstantOf255) {
  for (uint32_t Opcode : GetParam().isGfx9() ? std::array{0x24u, 0x25u}
                                             : std::array{0x37u, 0x38u})
    // Beside v1, and as the literal of the first source, too.
    for (uint32_t Source : {0x101u, 0xffu}) {
      const uint32_t Words[] = {Opcode << 25 | 2 << 17 | 3 << 9 | Source, 0xff};
      const ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Words),
                                    sizeof(Words));
      auto D = Decode.first(Bytes, 0x1000);
      if (!D)
        FAIL() << toString(D.takeError());
      EXPECT_EQ(D->Size, sizeof(Words));
      EXPECT_TRUE(isCanonical(*D, Bytes));
    }
}

/// The decoder may show LLVM no more than the instruction itself. It does so
/// before gfx10.
TEST_P(Encodings, OfFourBytesAreTheSameWhateverFollows) {
  if (!GetParam().isGfx9())
    return;
  const std::unique_ptr<MCDisassembler> All(
      Target.target().createMCDisassembler(Target.subtarget(), Context));
  std::mt19937 Random(1);
  auto holdsConstantForRegister = [&](const MCInst &Inst) {
    const MCInstrDesc &Desc = Target.instructions().get(Inst.getOpcode());
    return any_of(enumerate(Inst), [&](const auto &Entry) {
      return Entry.index() < Desc.getNumOperands() && Entry.value().isImm() &&
             Desc.operands()[Entry.index()].OperandType ==
                 MCOI::OPERAND_REGISTER;
    });
  };
  auto isEqual = [](const MCInst &A, const MCInst &B) {
    return A.getOpcode() == B.getOpcode() &&
           equal(A, B, [](const MCOperand &X, const MCOperand &Y) {
             return X.isReg() ? Y.isReg() && X.getReg() == Y.getReg()
                              : Y.isImm() && X.getImm() == Y.getImm();
           });
  };
  unsigned Short = 0, Long = 0;
  for (uint32_t First = 0; First < 0xc000; ++First)
    for (unsigned Try = 0; Try < 4; ++Try) {
      // Without literals, which LLVM does not survive everywhere.
      uint32_t Words[5] = {First << 16 | uint32_t(Random() & 0x7f7f)};
      for (unsigned I = 1; I < 5; ++I)
        Words[I] = Random();
      const ArrayRef<uint8_t> Given(reinterpret_cast<uint8_t *>(Words),
                                    sizeof(Words));
      if (Words[0] >> 25 == 0x66 || (Words[0] & 0x1ff) == 0xff)
        continue;
      MCInst Inst;
      uint64_t Size = 0;
      const bool IsCode =
          All->getInstruction(Inst, Size, Given, 0x1000, nulls()) !=
              MCDisassembler::Fail &&
          !holdsConstantForRegister(Inst);
      auto D = Decode.first(Given, 0x1000);
      ASSERT_EQ(bool(D), IsCode) << utohexstr(Words[0]);
      if (!D) {
        consumeError(D.takeError());
        continue;
      }
      ASSERT_EQ(D->Size, Size) << utohexstr(Words[0]);
      if (Size == 4)
        ASSERT_TRUE(isEqual(D->Inst, Inst)) << utohexstr(Words[0]);
      ++(Size == 4 ? Short : Long);
    }
  EXPECT_GT(Short, 50000u);
  EXPECT_GT(Long, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Encodings, ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
