// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes have an answer, and the process has one decoder for all who ask for
// the same target.
#include "emulator/exec/Decoder.h"
#include "emulator/exec/DecodeMemo.h"
#include "emulator/exec/Disassembler.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <array>
#include <cstring>
#include <random>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace luthier::test {
namespace {

using namespace emulator;

using Code = std::vector<uint32_t>;

std::span<const uint8_t> bytesOf(const Code &Words) {
  return {reinterpret_cast<const uint8_t *>(Words.data()), 4 * Words.size()};
}

Decoder &decoder(const char *Name, unsigned WaveSize = 64) {
  std::string Error;
  Decoder *D = Decoder::get(*findTarget(Name), WaveSize, Error);
  EXPECT_TRUE(D) << Error;
  return *D;
}

struct Device {
  const Target *T;
  unsigned WaveSize;
};

std::vector<Device> devices() {
  std::vector<Device> All;
  for (const Target &T : targets())
    for (unsigned WaveSize : {64u, 32u})
      if (WaveSize == 64 || T.HasWave32)
        All.push_back({&T, WaveSize});
  return All;
}

class AnyBytes : public ::testing::TestWithParam<Device> {
protected:
  AnyBytes() {
    std::string Error;
    D = Disassembler::create(*GetParam().T, GetParam().WaveSize, Error);
  }

  struct Answer {
    uint64_t Size = 0;
    std::string Text;
    bool operator==(const Answer &) const = default;
  };
  Answer read(const Code &Words) const {
    llvm::MCInst MI;
    Answer A;
    A.Size = D->read(bytesOf(Words), MI);
    if (A.Size) {
      llvm::raw_string_ostream OS(A.Text);
      MI.print(OS);
    }
    return A;
  }

  std::unique_ptr<Disassembler> D;
};

/// All encodings and opcodes are told apart by the upper half of the first
/// dword. Fields that must be zero are likelier so, and those for sources
/// likelier announce a literal, than chance would have it.
TEST_P(AnyBytes, AreAnInstructionWhateverFollowsOrNone) {
  constexpr unsigned Seed = 3, Tries = 2;
  std::mt19937 Random(Seed);
  unsigned NumRead = 0;
  for (uint32_t High = 0; High != 1u << 16; ++High)
    for (unsigned Try = 0; Try != Tries; ++Try) {
      Code Words(Disassembler::MaxDwords);
      for (uint32_t &Word : Words)
        Word = uint32_t(Random()) & (Try & 1 ? uint32_t(Random()) : ~0u);
      Words[0] = High << 16 | (Words[0] & 0xffff);
      if (Random() % 2)
        Words[Random() % 2] |= 0xffu << Random() % 25;
      Words[0] = High << 16 | (Words[0] & 0xffff);
      const Answer Whole = read(Words);
      if (!Whole.Size)
        continue;
      ++NumRead;
      // The decoder's memory rests on this.
      Code Exact(Words.begin(), Words.begin() + long(Whole.Size / 4));
      ASSERT_EQ(read(Exact), Whole) << std::hex << Words[0];
      Code Other = Exact;
      while (Other.size() != Words.size())
        Other.push_back(uint32_t(Random()));
      ASSERT_EQ(read(Other), Whole) << std::hex << Words[0];
      Exact.pop_back();
      ASSERT_EQ(read(Exact).Size, 0u) << std::hex << Words[0];
    }
  EXPECT_GT(NumRead, 10'000u) << "seed " << Seed;
}

TEST_P(AnyBytes, DecodeOrAreRefused) {
  constexpr unsigned Seed = 4, Count = 30'000;
  std::mt19937 Random(Seed);
  std::string Error;
  Decoder &D = *Decoder::get(*GetParam().T, GetParam().WaveSize, Error);
  unsigned NumOk = 0;
  for (unsigned N = 0; N != Count; ++N) {
    Code Words(1 + Random() % Disassembler::MaxDwords);
    for (uint32_t &Word : Words)
      Word = uint32_t(Random());
    const Decoder::Result R = D.decode(bytesOf(Words), N % 2);
    EXPECT_EQ(R.What == Decoder::Status::Ok, R.Inst != nullptr);
    if (!R.Inst)
      continue;
    ++NumOk;
    EXPECT_TRUE(R.Inst->Fn);
    EXPECT_LE(R.Inst->I.Dwords, Words.size());
    EXPECT_EQ(R.Inst->I.Info != nullptr, N % 2 == 1);
  }
  EXPECT_GT(NumOk, 3'000u) << "seed " << Seed;
}

bool areEqual(const Operand &A, const Operand &B) {
  return A.Kind == B.Kind && A.Type == B.Type && A.Modifiers == B.Modifiers &&
         A.Select == B.Select && A.Reg == B.Reg && A.NumRegs == B.NumRegs &&
         A.Slow == B.Slow && A.Plain == B.Plain && A.Value == B.Value;
}

/// Literals are filled in when what was decoded for another one is used again.
TEST_P(AnyBytes, AreDecodedTheSameWhateverWasDecodedBefore) {
  constexpr unsigned Seed = 5, Tries = 8;
  constexpr uint32_t Telling[] = {0,          1,          64,
                                  0xfffffff0, 0x3f000000, 0x80000000,
                                  0x7fffffff, 0xffffffff, 0x12345678};
  std::mt19937 Random(Seed);
  std::string Error;
  Decoder &D = *Decoder::get(*GetParam().T, GetParam().WaveSize, Error);
  unsigned NumFilled = 0;
  for (uint32_t High = 0; High != 3u << 14; ++High)
    for (uint32_t Low : {0xffu, 0x00ffu | (High & 0x7f) << 9, 0xff00u}) {
      if (Random() % 16)
        continue;
      for (unsigned Try = 0; Try != Tries; ++Try) {
        const uint32_t Literal = Random() % 2
                                     ? Telling[Random() % std::size(Telling)]
                                     : uint32_t(Random());
        const Code Words = {High << 16 | Low, Literal};
        const Decoder::Result New = D.decodeAnew(bytesOf(Words));
        const Decoder::Result Known = D.decode(bytesOf(Words));
        ASSERT_EQ(New.What, Known.What) << std::hex << Words[0];
        if (!New.Inst)
          break;
        NumFilled += Known.Inst->LiteralSource >= 0;
        CodeSlot NewSlot, KnownSlot;
        New.fill(NewSlot);
        Known.fill(KnownSlot);
        ASSERT_EQ(KnownSlot.Fn.load(), NewSlot.Fn.load());
        const Inst &I = KnownSlot.I, &Expected = NewSlot.I;
        ASSERT_EQ(I.Immediate, Expected.Immediate) << std::hex << Words[0];
        ASSERT_EQ(I.Offset, Expected.Offset) << std::hex << Words[0];
        ASSERT_EQ(I.Dwords, Expected.Dwords) << std::hex << Words[0];
        ASSERT_EQ(I.Needs, Expected.Needs) << std::hex << Words[0];
        for (unsigned N = 0; N != 3; ++N)
          ASSERT_TRUE(areEqual(I.Src[N], Expected.Src[N]))
              << std::hex << Words[0] << " " << Literal;
        ASSERT_TRUE(areEqual(I.Dst, Expected.Dst)) << std::hex << Words[0];
      }
    }
  EXPECT_GT(NumFilled, 500u) << "seed " << Seed;
}

INSTANTIATE_TEST_SUITE_P(Devices, AnyBytes, ::testing::ValuesIn(devices()),
                         [](const auto &Info) {
                           return std::string(Info.param.T->Name) + "_" +
                                  std::to_string(Info.param.WaveSize);
                         });

/// LLVM dereferences null for the first ones. What it makes of the last one is
/// a matrix operation on s0.
TEST(Decoding, RefusesWhatLLVMDoesNotSurvive) {
  const Code Encodings[] = {
      {0xd1030000, 0x0001fe00}, // v_add_u16_e64 with a literal
      {0xd04171ff, 0x00000090}, // a comparison into a literal
      {0xe8394a83, 0xff489d4d}, // a buffer access with a literal offset
      {0xd3c00000, 0x00010100},
  };
  for (const Code &Words : Encodings)
    EXPECT_EQ(decoder("gfx908").decode(bytesOf(Words)).What,
              Decoder::Status::Undecodable)
        << std::hex << Words[0];
  // v_readfirstlane and s_barrier_signal_isfirst with literals.
  for (const Target &T : targets())
    EXPECT_EQ(decoder(T.Name.data()).decode(bytesOf({0x7ffe0400, 0})).What,
              Decoder::Status::Undecodable)
        << T.Name;
  for (uint32_t Opcode = 0; Opcode != 0x100; ++Opcode)
    decoder("gfx1201").decode(bytesOf({0xbe8000ff | Opcode << 8, 0}));
}

/// LLVM takes it for the mark of a literal.
TEST_P(AnyBytes, HaveAConstantOf255) {
  const bool IsGfx9 = GetParam().T->Generation == 9;
  for (uint32_t Opcode :
       IsGfx9 ? std::array{0x24u, 0x25u} : std::array{0x37u, 0x38u})
    // Beside v1, and as the literal of the first source, too.
    for (uint32_t Source : {0x101u, 0xffu}) {
      const uint32_t First = Opcode << 25 | 2 << 17 | 3 << 9 | Source;
      llvm::MCInst Near, MI;
      ASSERT_EQ(D->read(bytesOf({First, 0xfe}), Near), 8u);
      ASSERT_EQ(D->read(bytesOf({First, 0xff}), MI), 8u);
      ASSERT_EQ(MI.getOpcode(), Near.getOpcode());
      ASSERT_EQ(MI.getNumOperands(), Near.getNumOperands());
      unsigned NumConstants = 0;
      for (unsigned N = 0; N != MI.getNumOperands(); ++N) {
        if (Near.getOperand(N).isReg()) {
          EXPECT_EQ(MI.getOperand(N).getReg(), Near.getOperand(N).getReg());
          continue;
        }
        EXPECT_EQ(Near.getOperand(N).getImm(), 0xfe);
        EXPECT_EQ(MI.getOperand(N).getImm(), 0xff);
        ++NumConstants;
      }
      EXPECT_EQ(NumConstants, Source == 0xff ? 2u : 1u);
    }
}

/// Encoding 254. LLVM prints it wherever a source can stand.
TEST(Decoding, TakesLdsDirectWhereItCanBe) {
  for (const Target &T : targets())
    EXPECT_EQ(decoder(T.Name.data()).decode(bytesOf({0x7e1402fe})).What,
              T.has(ScalarOperand::LdsDirect) ? Decoder::Status::Ok
                                              : Decoder::Status::Undecodable)
        << T.Name;
  Decoder &D = decoder("gfx906");
  EXPECT_EQ(D.decode(bytesOf({0x7e0258fe})).What, // v_bfrev_b32
            Decoder::Status::Ok);
  const Code Encodings[] = {
      {0xd1340001, 0x0001fd02}, // the second source of v_add_u32
      {0xd2800002, 0x00020cfe}, // a double
      {0x240204fe},             // v_lshlrev_b32
      {0xbe8000fe},             // s_mov_b32
  };
  for (const Code &Words : Encodings)
    EXPECT_EQ(D.decode(bytesOf(Words)).What, Decoder::Status::Undecodable)
        << std::hex << Words[0];
}

TEST(Decoding, RefusesCodeThatEndsInALiteral) {
  const Code Whole = {0x7e0002ff, 0x12345678}; // v_mov_b32 v0, 0x12345678
  EXPECT_EQ(decoder("gfx90a").decode(bytesOf(Whole)).What, Decoder::Status::Ok);
  const Code Cut = {Whole[0]};
  EXPECT_EQ(decoder("gfx90a").decode(bytesOf(Cut)).What,
            Decoder::Status::Undecodable);
  EXPECT_EQ(decoder("gfx90a").decode({}).What, Decoder::Status::Undecodable);
}

TEST(Decoding, HappensOnceInAProcess) {
  std::string Error;
  Decoder &D = decoder("gfx90a");
  EXPECT_EQ(Decoder::get(*findTarget("gfx90a"), 64, Error), &D);
  EXPECT_NE(Decoder::get(*findTarget("gfx908"), 64, Error), &D);
  EXPECT_NE(&decoder("gfx1030", 32), &decoder("gfx1030", 64));

  const Code Here = {0x7e0002ff, 0x12345678, 0xbf810000};
  const Code There = {0x7e0002ff, 0x12345678, 0x7e000280};
  const Code Literal = {0x7e0002ff, 0x12345679, 0xbf810000};
  const Code Else = {0x7e0202ff, 0x12345678, 0xbf810000};
  auto First = D.decode(bytesOf(Here)).Inst;
  EXPECT_EQ(D.decode(bytesOf(There)).Inst, First);
  EXPECT_EQ(D.decode(bytesOf(Literal)).Inst, First);
  EXPECT_EQ(D.decode(bytesOf(Literal)).Literal, Literal[1]);
  EXPECT_NE(D.decode(bytesOf(Else)).Inst, First);
  auto Described = D.decode(bytesOf(Here), /*WithInfo=*/true).Inst;
  EXPECT_NE(Described, First);
  EXPECT_EQ(Described->I.Info->Mnemonic, "v_mov_b32");
  EXPECT_EQ(D.decode(bytesOf(There), /*WithInfo=*/true).Inst, Described);
}

/// The parent's may be locked by a thread that the child does not have.
TEST(Decoding, BeginsAnewInAChild) {
  const Decoder *Parents = &decoder("gfx90a");
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (!Child)
    _exit(&decoder("gfx90a") != Parents ? 0 : 1);
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  EXPECT_EQ(&decoder("gfx90a"), Parents);
}

TEST(Decoding, RemembersTheLatestOfAPlace) {
  DecodeMemo<unsigned> Memo(/*NumSlots=*/8);
  for (uint32_t N = 1; N != 100; ++N) {
    Memo.note(bytesOf({N, N}), N);
    const unsigned *Found = Memo.find(bytesOf({N, N, 7, 8}));
    ASSERT_TRUE(Found);
    EXPECT_EQ(*Found, N);
    EXPECT_FALSE(Memo.find(bytesOf({N})));
    EXPECT_FALSE(Memo.find(bytesOf({N, N + 1})));
  }
  EXPECT_FALSE(Memo.find(bytesOf({0, 0, 0, 0, 0})));
}

} // namespace
} // namespace luthier::test
