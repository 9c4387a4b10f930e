// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rows of targets say of operands and hardware registers: against
// LLVM's assembler and printer, and as it is executed.
#include "Assembler.h"
#include "Machine.h"
#include "emulator/core/Target.h"
#include "emulator/exec/Decoder.h"
#include <cstring>
#include <map>
#include <set>

namespace luthier::test {
namespace {

using emulator::Decoder;
using emulator::HardwareRegister;
using emulator::ScalarOperand;
using emulator::Target;

class OperandPlaces : public ::testing::TestWithParam<Target> {
protected:
  void SetUp() override {
    std::string Error;
    D = Decoder::get(GetParam(), 64, Error);
    ASSERT_TRUE(D) << Error;
  }
  std::string name() const { return std::string(GetParam().Name); }
  static std::vector<uint8_t> bytesOf(uint32_t Word) {
    std::vector<uint8_t> Bytes(16);
    std::memcpy(Bytes.data(), &Word, sizeof(Word));
    return Bytes;
  }
  /// s_mov_b32 s0, from what \p Encoding stands for.
  uint32_t moveFrom(unsigned Encoding) const {
    const uint32_t Opcode = GetParam().Generation == 10 ? 3 : 0;
    return 0xbe800000 | Opcode << 8 | Encoding;
  }
  /// s_getreg_b32 s0, all of register \p Number.
  uint32_t get(unsigned Number) const {
    const uint32_t Opcode =
        GetParam().Generation == 10 ? 0xb9000000 : 0xb8800000;
    return Opcode | 0xf800 | Number;
  }

  Decoder *D = nullptr;
};

TEST_P(OperandPlaces, AreThoseThatLLVMAssembles) {
  const std::map<std::string, ScalarOperand> Names = {
      {"s0", ScalarOperand::Sgpr},
      {"s101", ScalarOperand::Sgpr},
      {"s102", ScalarOperand::Sgpr},
      {"s105", ScalarOperand::Sgpr},
      {"flat_scratch_lo", ScalarOperand::FlatScratch},
      {"flat_scratch_hi", ScalarOperand::FlatScratch},
      {"xnack_mask_lo", ScalarOperand::XnackMask},
      {"xnack_mask_hi", ScalarOperand::XnackMask},
      {"vcc_lo", ScalarOperand::Vcc},
      {"vcc_hi", ScalarOperand::Vcc},
      {"ttmp0", ScalarOperand::TrapTemp},
      {"ttmp15", ScalarOperand::TrapTemp},
      {"m0", ScalarOperand::M0},
      {"null", ScalarOperand::Null},
      {"exec_lo", ScalarOperand::Exec},
      {"exec_hi", ScalarOperand::Exec},
      {"src_shared_base", ScalarOperand::SharedBase},
      {"src_shared_limit", ScalarOperand::SharedLimit},
      {"src_private_base", ScalarOperand::PrivateBase},
      {"src_private_limit", ScalarOperand::PrivateLimit},
      {"src_pops_exiting_wave_id", ScalarOperand::PopsExitingWaveId},
      {"src_vccz", ScalarOperand::VccZero},
      {"src_execz", ScalarOperand::ExecZero},
      {"src_scc", ScalarOperand::Scc},
  };
  std::vector<std::string> Lines;
  for (const auto &[Name, What] : Names)
    Lines.push_back("s_mov_b32 s0, " + Name);
  // LLVM takes it for the source of a vector operation only.
  Lines.push_back("v_mov_b32 v0, src_lds_direct");
  const auto Code = assembleEach(Lines, name(), 64);
  const bool TakesLds = !Code.back().empty();
  EXPECT_EQ(GetParam().has(ScalarOperand::LdsDirect), TakesLds);
  // The disassembler knows more encodings than the target has.
  std::set<unsigned> Encodings;
  size_t N = 0;
  for (const auto &[Name, What] : Names) {
    const std::vector<uint8_t> &Bytes = Code[N++];
    if (Bytes.empty())
      continue;
    EXPECT_EQ(GetParam().scalarOperand(Bytes[0]), What) << Name;
    Encodings.insert(Bytes[0]);
  }
  for (const emulator::ScalarOperandRange &R : GetParam().ScalarOperands) {
    if (R.What == ScalarOperand::LdsDirect)
      continue;
    EXPECT_TRUE(Encodings.contains(R.First)) << unsigned(R.First);
    EXPECT_TRUE(Encodings.contains(R.Last) || R.What == ScalarOperand::Sgpr)
        << unsigned(R.Last);
  }
}

TEST_P(OperandPlaces, DecodeOnlyWhereTheTargetHasThem) {
  const unsigned FirstConstant = 128, LastConstant = 208, FirstFloat = 240,
                 LastFloat = 248, Literal = 255;
  for (unsigned Encoding = 0; Encoding != Literal; ++Encoding) {
    const bool IsConstant =
        (Encoding >= FirstConstant && Encoding <= LastConstant) ||
        (Encoding >= FirstFloat && Encoding <= LastFloat);
    const ScalarOperand What = GetParam().scalarOperand(Encoding);
    const bool IsKnown = What != ScalarOperand::None &&
                         What != ScalarOperand::LdsDirect &&
                         What != ScalarOperand::PopsExitingWaveId;
    EXPECT_EQ(D->decode(bytesOf(moveFrom(Encoding))).What,
              IsConstant || IsKnown ? Decoder::Status::Ok
                                    : Decoder::Status::Undecodable)
        << Encoding;
  }
}

const std::map<std::string, std::set<HardwareRegister>> &registerNames() {
  using R = HardwareRegister;
  static const std::map<std::string, std::set<R>> Names = {
      {"MODE", {R::Mode}},
      {"WAVE_MODE", {R::Mode}},
      {"STATUS", {R::Status}},
      {"WAVE_STATUS", {R::WaveStatus}},
      {"WAVE_STATE_PRIV", {R::StatePriv}},
      {"TRAPSTS", {R::TrapStatus}},
      {"WAVE_EXCP_FLAG_PRIV", {R::ExceptionsPriv}},
      {"WAVE_EXCP_FLAG_USER", {R::ExceptionsUser}},
      {"WAVE_TRAP_CTRL", {R::TrapControl}},
      {"TBA_LO", {R::TrapAddress}},
      {"TBA_HI", {R::TrapAddress}},
      {"TMA_LO", {R::TrapAddress}},
      {"TMA_HI", {R::TrapAddress}},
      {"HW_ID", {R::HwId}},
      {"HW_ID1", {R::HwId1}},
      {"WAVE_HW_ID1", {R::HwId1}},
      {"HW_ID2", {R::HwId2}},
      {"WAVE_HW_ID2", {R::HwId2}},
      {"XCC_ID", {R::XccId}},
      {"GPR_ALLOC", {R::GprAlloc, R::WaveGprAlloc}},
      {"WAVE_GPR_ALLOC", {R::WaveGprAlloc}},
      {"LDS_ALLOC", {R::LdsAlloc}},
      {"WAVE_LDS_ALLOC", {R::LdsAlloc}},
      {"IB_STS", {R::IbStatus}},
      {"SH_MEM_BASES", {R::MemoryBases}},
      {"FLAT_SCR_LO", {R::FlatScratchLow, R::ScratchBaseLow}},
      {"FLAT_SCR_HI", {R::FlatScratchHigh, R::ScratchBaseHigh}},
      {"WAVE_SCHED_MODE", {R::SchedulingMode}},
      {"SHADER_CYCLES", {R::ShaderCycles}},
      {"SHADER_CYCLES_LO", {R::ShaderCyclesLow}},
      {"SHADER_CYCLES_HI", {R::ShaderCyclesHigh}},
      {"WAVE_DVGPR_ALLOC_LO", {R::DynamicVgprs}},
      {"WAVE_DVGPR_ALLOC_HI", {R::DynamicVgprs}},
      // Not emulated.
      {"POPS_PACKER", {R::NotEmulated}},
      {"WAVE_SCRATCH_BASE_LO", {R::NotEmulated}},
      {"WAVE_SCRATCH_BASE_HI", {R::NotEmulated}},
      {"PERF_SNAPSHOT_DATA", {R::NotEmulated}},
      {"PERF_SNAPSHOT_DATA1", {R::NotEmulated}},
      {"PERF_SNAPSHOT_DATA2", {R::NotEmulated}},
      {"PERF_SNAPSHOT_PC_LO", {R::NotEmulated}},
      {"PERF_SNAPSHOT_PC_HI", {R::NotEmulated}},
      {"SQ_PERF_SNAPSHOT_DATA", {R::NotEmulated}},
      {"SQ_PERF_SNAPSHOT_DATA1", {R::NotEmulated}},
      {"SQ_PERF_SNAPSHOT_PC_LO", {R::NotEmulated}},
      {"SQ_PERF_SNAPSHOT_PC_HI", {R::NotEmulated}},
  };
  return Names;
}

TEST_P(OperandPlaces, HardwareRegistersAreThoseThatLLVMNames) {
  const auto &Registers = GetParam().HardwareRegisters;
  for (unsigned Number = 0; Number != Registers.size(); ++Number) {
    const HardwareRegister R = Registers[Number];
    // "s_getreg_b32 s0, hwreg(HW_REG_MODE)"
    const std::string Text = D->print(bytesOf(get(Number)), 0);
    const std::string Prefix = "hwreg(HW_REG_";
    const size_t At = Text.find(Prefix);
    if (At == std::string::npos) {
      // The manuals have it, LLVM has not.
      EXPECT_TRUE(R == HardwareRegister::None ||
                  R == HardwareRegister::IbStatus2)
          << Number << ": " << Text;
      continue;
    }
    const size_t Begin = At + Prefix.size();
    const std::string Name =
        Text.substr(Begin, Text.find_first_of(",)", Begin) - Begin);
    auto Known = registerNames().find(Name);
    ASSERT_NE(Known, registerNames().end()) << Name;
    EXPECT_TRUE(Known->second.contains(R)) << Number << ": " << Name;
  }
}

std::string nameOf(const ::testing::TestParamInfo<Target> &Info) {
  return std::string(Info.param.Name);
}
auto allTargets() {
  return ::testing::ValuesIn(emulator::targets().begin(),
                             emulator::targets().end());
}

INSTANTIATE_TEST_SUITE_P(Targets, OperandPlaces, allTargets(), nameOf);

class HardwareRegisterTest : public Machine,
                             public ::testing::WithParamInterface<Target> {
protected:
  HardwareRegisterTest() : Machine(on(std::string(GetParam().Name))) {}
};

TEST_P(HardwareRegisterTest, ReadingOneThatTheTargetLacksIsAFault) {
  const auto &Registers = GetParam().HardwareRegisters;
  for (unsigned Number = 0; Number != Registers.size(); ++Number) {
    const HardwareRegister R = Registers[Number];
    load("s_getreg_b32 s20, hwreg(" + std::to_string(Number) +
         ")\n s_endpgm\n");
    const auto Fault = run();
    const bool IsRead =
        R != HardwareRegister::None && R != HardwareRegister::NotEmulated;
    EXPECT_EQ(!Fault, IsRead) << Number;
    if (Fault)
      EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::UnknownOperation);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, HardwareRegisterTest, allTargets(), nameOf);

class XccIdTest : public HardwareRegisterTest {};

/// Number 20 is another register, or none, on the others.
TEST_P(XccIdTest, IsOnlyOnTargetsWithSeveralDies) {
  load("s_getreg_b32 s20, hwreg(20)\n s_endpgm\n");
  const bool HasIt = GetParam().Minor >= 4;
  EXPECT_EQ(!run(), HasIt);
}

INSTANTIATE_TEST_SUITE_P(Gfx9, XccIdTest,
                         ::testing::Values(*emulator::findTarget("gfx906"),
                                           *emulator::findTarget("gfx908"),
                                           *emulator::findTarget("gfx90a"),
                                           *emulator::findTarget("gfx942"),
                                           *emulator::findTarget("gfx950")),
                         nameOf);

} // namespace
} // namespace luthier::test
