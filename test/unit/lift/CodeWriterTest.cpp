// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where inserted code ends up, and what the result says about it.
#include "rewrite/emit/CodeWriter.h"
#include "../analysis/Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "lift/Decoder.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Writing : public ::testing::TestWithParam<TargetCase> {
protected:
  using Edit = std::function<void(MachineBasicBlock &)>;
  /// \p Change is for the first block.
  void write(const std::string &Assembly, const CodeWriterOptions &Options,
             const Edit &Change = {}) {
    Code.clear();
    PlaceOf.clear();
    Kernel = liftAssembly(Assembly, GetParam());
    ASSERT_TRUE(Kernel.LR);
    if (Change)
      Change(Kernel.LR->kernel().front());
    const amdgpu::MCTarget &Target = *Kernel.LR->impl().Target;
    amdgpu::MachineEncoder Encoder(Target);
    Encode = &Encoder;
    auto Result = writeCode(*Kernel.LR, Encoder, Options);
    ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
    Written = std::move(*Result);
    for (DecodedInstruction &D : cantFail(decode(Target, Written.Code, 0)))
      Code[D.Address] = std::move(D);
    for (const KeptInstruction &Kept : Written.Map)
      PlaceOf[Kept.Original] = Kept.Offset;
  }

  /// Appends s_nop \p Number.
  void mark(unsigned Number, amdgpu::CodeLayout &Layout) {
    SmallVector<uint8_t, 4> Bytes;
    Encode->encode(AMDGPU::S_NOP, MCOperand::createImm(Number), Bytes);
    Layout.append(Bytes);
  }

  unsigned opcodeAt(uint64_t Offset) {
    return Kernel.LR->impl().Target->opcodes().pseudoOpcode(
        Code.at(Offset).Inst.getOpcode());
  }
  uint64_t placeOf(const char *Label) {
    return PlaceOf.at(Kernel.Labels.lookup(Label));
  }
  /// The numbers of the marks that control passes from \p Offset on, up to the
  /// instruction of the original that it comes to. Branches not taken.
  std::vector<int64_t> marksFrom(uint64_t Offset, const char *Until) {
    std::vector<int64_t> Result;
    for (unsigned Steps = 0; Offset != placeOf(Until); ++Steps) {
      if (Steps == 100) {
        ADD_FAILURE() << "does not come to " << Until;
        break;
      }
      const DecodedInstruction &D = Code.at(Offset);
      if (opcodeAt(Offset) == AMDGPU::S_NOP)
        Result.push_back(D.Inst.getOperand(0).getImm());
      Offset = opcodeAt(Offset) == AMDGPU::S_BRANCH ? D.target(0) : D.end();
    }
    return Result;
  }
  uint64_t takenFrom(const char *Label) {
    return Code.at(placeOf(Label)).target(0);
  }

  LiftedKernel Kernel;
  amdgpu::MachineEncoder *Encode = nullptr;
  WrittenCode Written;
  std::map<uint64_t, DecodedInstruction> Code;
  std::map<uint64_t, uint64_t> PlaceOf; ///< By address in the original.
};

using Numbers = std::vector<int64_t>;

constexpr const char *Loop = R"(
    first: s_cmp_eq_u32 s4, 0
    branch: s_cbranch_scc1 first
    second: s_cmp_eq_u32 s5, 0
    both: s_cbranch_scc0 third
    third: s_cmp_eq_u32 s6, 0
    last: s_endpgm
)";

TEST_P(Writing, EntriesAreNotPassedByBranchesBack) {
  auto atEntry = [&](const InsertionPoint &Where, amdgpu::CodeLayout &L) {
    if (Where.function())
      mark(7, L);
  };
  write(Loop, {.Insert = atEntry});
  EXPECT_EQ(marksFrom(0, "first"), Numbers{7});
  EXPECT_EQ(takenFrom("branch"), placeOf("first"));
  ASSERT_EQ(Written.Inserted.size(), 1u);
  EXPECT_EQ(Written.Inserted[0].Begin, 0u);
  EXPECT_EQ(Written.Inserted[0].End, 4u);
}

TEST_P(Writing, EdgesArePassedByTheirBranchOnly) {
  auto onEdge = [&](const InsertionPoint &Where, amdgpu::CodeLayout &L) {
    if (Where.source())
      mark(1 + 4 * Where.source()->getNumber() + Where.block()->getNumber(), L);
  };
  write(Loop, {.Insert = onEdge});
  // Blocks 0 (first, branch), 1 (second, both), 2 (third, last).
  EXPECT_EQ(marksFrom(takenFrom("branch"), "first"), Numbers{1});
  EXPECT_EQ(marksFrom(placeOf("branch") + 4, "second"), Numbers{2});
  // Taken or not, it is the same edge.
  EXPECT_EQ(marksFrom(takenFrom("both"), "third"), Numbers{1 + 4 + 2});
  EXPECT_EQ(marksFrom(placeOf("both") + 4, "third"), Numbers{1 + 4 + 2});
  EXPECT_EQ(Written.Inserted.size(), 4u);
  for (const WrittenCode::Extent &Extent : Written.Inserted)
    EXPECT_EQ(opcodeAt(Extent.Begin), AMDGPU::S_NOP);
}

TEST_P(Writing, EdgesWithoutCodeCostNothing) {
  auto nothing = [](const InsertionPoint &, amdgpu::CodeLayout &) {};
  write(Loop, {.Insert = nothing});
  EXPECT_EQ(Written.Code.size(), 24u);
  EXPECT_EQ(takenFrom("branch"), placeOf("first"));
}

TEST_P(Writing, InsertionsBeforeABlockArePassedOnEveryWay) {
  auto before = [&](const InsertionPoint &Where, amdgpu::CodeLayout &L) {
    const MachineInstr *MI = Where.instruction();
    if (MI && MI->getOpcode() == AMDGPU::S_CMP_EQ_U32)
      mark(3, L);
  };
  write(Loop, {.Insert = before});
  EXPECT_EQ(marksFrom(0, "first"), Numbers{3});
  EXPECT_EQ(marksFrom(takenFrom("branch"), "first"), Numbers{3});
  EXPECT_EQ(marksFrom(takenFrom("both"), "third"), Numbers{3});
}

/// Both copies of the addition, whatever SCC is, lead to the original's place.
TEST_P(Writing, ADistanceLeadsToTheOriginal) {
  constexpr uint64_t LinkedAt = 0x123456000;
  auto atEntry = [&](const InsertionPoint &Where, amdgpu::CodeLayout &L) {
    for (unsigned I = 0; I < 5 && Where.function(); ++I)
      mark(I, L);
  };
  write("getpc: s_getpc_b64 s[4:5]\nlast: s_endpgm\n",
        {.Insert = atEntry, .LinkedAt = LinkedAt});
  unsigned Copies = 0;
  for (const auto &[Offset, D] : Code) {
    if (opcodeAt(Offset) != AMDGPU::S_GETPC_B64)
      continue;
    ++Copies;
    const bool Waits = opcodeAt(D.end()) == AMDGPU::S_WAITCNT_DEPCTR;
    const DecodedInstruction &Low =
        Code.at(Waits ? Code.at(D.end()).end() : D.end());
    const DecodedInstruction &High = Code.at(Low.end());
    const uint64_t Distance = uint32_t(Low.Inst.getOperand(2).getImm()) |
                              uint64_t(High.Inst.getOperand(2).getImm()) << 32;
    EXPECT_EQ(LinkedAt + D.end() + Distance, Kernel.Labels["getpc"] + 4);
  }
  EXPECT_EQ(Copies, 2u);
  EXPECT_EQ(placeOf("last") - placeOf("getpc"), Written.Map[0].Size);
}

TEST_P(Writing, AKnownAddressIsLoaded) {
  constexpr uint64_t Bias = 0x7f0012345000;
  write("getpc: s_getpc_b64 s[4:5]\nlast: s_endpgm\n", {.LoadBias = Bias});
  const DecodedInstruction &Low = Code.at(0);
  const DecodedInstruction &High = Code.at(Low.end());
  EXPECT_EQ(opcodeAt(0), AMDGPU::S_MOV_B32);
  const uint64_t PC = uint32_t(Low.Inst.getOperand(1).getImm()) |
                      uint64_t(High.Inst.getOperand(1).getImm()) << 32;
  EXPECT_EQ(PC, Bias + Kernel.Labels["getpc"] + 4);
  EXPECT_EQ(High.end(), placeOf("last"));
}

/// gfx9 has none.
class WritingClauses : public Writing {};
INSTANTIATE_TEST_SUITE_P(Targets, WritingClauses,
                         ::testing::ValuesIn(allTargets().begin() + 5,
                                             allTargets().end()),
                         [](const auto &Info) { return nameOf(Info.param); });

/// The number in s_clause no longer says what belongs to it.
TEST_P(WritingClauses, AClauseThatAToolHasChangedIsNone) {
  auto firstAfter = [&](const Edit &Change) {
    write(R"(
      clause: s_clause 0x1
      global_load_dword v1, v0, s[4:5]
      global_load_dword v2, v0, s[4:5] offset:4
      v_mov_b32 v3, v0
      s_endpgm
)",
          {}, Change);
    EXPECT_EQ(placeOf("clause"), 0u);
    return opcodeAt(0);
  };
  auto member = [](MachineBasicBlock &MBB, unsigned N) -> MachineInstr & {
    return *std::next(MBB.begin(), N);
  };
  EXPECT_EQ(firstAfter({}), AMDGPU::S_CLAUSE);
  for (unsigned N : {1, 2})
    EXPECT_EQ(firstAfter([&](MachineBasicBlock &MBB) {
                member(MBB, N).eraseFromParent();
              }),
              AMDGPU::S_NOP);
  EXPECT_EQ(firstAfter([&](MachineBasicBlock &MBB) {
              const MCInstrDesc &Nop =
                  MBB.getParent()->getSubtarget().getInstrInfo()->get(
                      AMDGPU::S_NOP);
              BuildMI(MBB, member(MBB, 2), DebugLoc(), Nop).addImm(0);
            }),
            AMDGPU::S_NOP);
  // Behind it, anything may change.
  EXPECT_EQ(firstAfter([&](MachineBasicBlock &MBB) {
              member(MBB, 3).eraseFromParent();
            }),
            AMDGPU::S_CLAUSE);
}

INSTANTIATE_TEST_SUITE_P(Targets, Writing, ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
