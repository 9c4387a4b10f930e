// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis says of an instruction's registers, held against execution:
// random encodings run on the emulator, twice, from states that are equal only
// in what the instruction is said to read. What it is said to overwrite must
// come out equal, what it is not said to write must stay.
#include "EmulatedWave.h"
#include "amdgpu/MCTarget.h"
#include "analysis/RegisterEffects.h"
#include "lift/Decoder.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr unsigned VGPRs = 256;

/// Another one on demand: LUTHIER_TEST_SEED=7.
unsigned seed() {
  const char *Text = std::getenv("LUTHIER_TEST_SEED");
  return Text ? std::strtoul(Text, nullptr, 10) : 20261121;
}

class EffectsOnEmulator : public ::testing::TestWithParam<TargetCase> {
protected:
  /// Encodings of operations on registers alone, as assembly.
  std::string randomCode(unsigned Count) {
    const TargetCase &Target = GetParam();
    std::string Features;
    if (!Target.isGfx9())
      Features =
          Target.WaveSize == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
    if (!Target.isGfx9() && !StringRef(Target.Processor).starts_with("gfx10"))
      Features += ",+real-true16";
    const amdgpu::MCTarget &MC =
        cantFail(amdgpu::MCTarget::get(Target.Processor, Features));
    Decoder Decode(MC);
    // VOP3 and VOP3P of both generations, VOPD; the rest are shorter.
    constexpr uint32_t Long[] = {0xd0000000, 0xd4000000, 0xcc000000,
                                 0xc8000000};
    std::string Text;
    for (unsigned Found = 0, Tries = 0; Found < Count && Tries < 100 * Count;
         ++Tries) {
      uint32_t Words[5] = {uint32_t(Random()), uint32_t(Random()), 1, 1, 1};
      if (Random() % 2)
        Words[0] = (Words[0] & 0x03ffffff) | Long[Random() % std::size(Long)];
      ArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(Words),
                              sizeof(Words));
      Expected<DecodedInstruction> Decoded = Decode.first(Bytes, 0);
      if (!Decoded) {
        consumeError(Decoded.takeError());
        continue;
      }
      if (!isOnRegisters(MC, Decoded->Inst))
        continue;
      for (unsigned I = 0; I < Decoded->Size / 4; ++I)
        Text += ".long " + std::to_string(Words[I]) + "\n";
      ++Found;
    }
    return Text;
  }

  bool isOnRegisters(const amdgpu::MCTarget &MC, const MCInst &Inst) const {
    const MCInstrDesc &Desc = MC.instructions().get(Inst.getOpcode());
    StringRef Name = MC.instructions().getName(Inst.getOpcode());
    if (Desc.mayLoad() || Desc.mayStore() || Desc.isBranch() || Desc.isCall() ||
        Desc.isTerminator() || Desc.isReturn())
      return false;
    // Control, messages, modes and what the wave cannot be set to.
    for (StringRef Prefix :
         {"S_SETREG",     "S_GETREG", "S_SET_GPR", "S_CALL",
          "S_SWAPPC",     "S_SETPC",  "S_RFE",     "S_CBRANCH",
          "S_SENDMSG",    "S_TRAP",   "S_BARRIER", "S_GET_BARRIER",
          "S_SLEEP",      "S_WAKEUP", "S_ALLOC",   "S_GETPC",
          "S_SUBVECTOR",  "S_ENDPGM", "V_INTERP",  "S_ROUND_MODE",
          "S_DENORM_MODE"})
      if (Name.starts_with(Prefix))
        return false;
    for (const MCOperand &Op : Inst)
      if (Op.isReg() && Op.getReg()) {
        StringRef Reg = MC.registers().getName(Op.getReg());
        if (Reg.starts_with("TTMP") || Reg.starts_with("XNACK") ||
            Reg.starts_with("FLAT_SCR") || Reg.starts_with("LDS_DIRECT") ||
            Reg.starts_with("VCC_HI") || Reg.starts_with("EXEC_HI") ||
            (GetParam().isGfx9() && Reg.starts_with("SGPR_NULL")) ||
            Reg.starts_with("TBA") || Reg.starts_with("TMA") ||
            Reg.contains("POPS"))
          return false;
      }
    return true;
  }

  EmulatedWave Wave{GetParam(), VGPRs, seed()};
  std::mt19937_64 &Random = Wave.random();
};

TEST_P(EffectsOnEmulator, HoldForRandomOperationsOnRegisters) {
  constexpr unsigned Count = 700;
  SCOPED_TRACE("LUTHIER_TEST_SEED=" + std::to_string(seed()));
  LiftedKernel Kernel =
      liftAssembly(randomCode(Count) + "s_endpgm\n", GetParam());
  ASSERT_TRUE(Kernel.LR);
  const KernelInfo &Info = Kernel.Object->kernels().front();
  ArrayRef<uint8_t> Bytes =
      cantFail(Kernel.Object->contents(Info.EntryAddress, Info.CodeSize));
  Wave.load(Bytes);
  const EffectsTable Table = EffectsTable::run(*Kernel.LR);
  unsigned Ran = 0, Failures = 0;
  for (const MachineBasicBlock &MBB : Kernel.LR->kernel())
    for (auto [MI, E] : zip(MBB, Table.of(MBB))) {
      if (MI.isTerminator() || E.ReadsEverything || Failures > 5)
        continue;
      const uint64_t PC =
          Wave.codeBase() + *Kernel.LR->originalAddress(MI) - Info.EntryAddress;
      // LLVM decodes more than it, or hardware, has a meaning for.
      const std::string Text = Wave.disassemble(PC);
      if (Text.find("/*Invalid") != std::string::npos)
        continue;
      WaveState A = Wave.randomState();
      WaveState B = Wave.whatIsRead(E, A, Wave.randomState());
      auto AfterA = Wave.run(A, PC);
      auto AfterB = AfterA ? Wave.run(B, PC) : std::nullopt;
      if (!AfterA || !AfterB)
        continue;
      ++Ran;
      const std::string Wrong = Wave.differences(E, A, *AfterA, *AfterB);
      if (!Wrong.empty()) {
        ++Failures;
        ADD_FAILURE() << Text << ":" << Wrong.substr(0, 300);
      }
    }
  RecordProperty("ran", int(Ran));
  EXPECT_GT(Ran, Count / 3);
}

INSTANTIATE_TEST_SUITE_P(Targets, EffectsOnEmulator,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
