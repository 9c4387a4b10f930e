// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis says of an instruction's registers, held against execution:
// random encodings run on the emulator, twice, from states that are equal only
// in what the instruction is said to read. What it is said to overwrite must
// come out equal, what it is not said to write must stay.
#include "Kernels.h"
#include "amdgpu/MCTarget.h"
#include "analysis/RegisterEffects.h"
#include "lift/Decoder.h"
#include "luthier/emulator.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr unsigned VGPRs = 256, SGPRs = 102;

/// Another one on demand: LUTHIER_TEST_SEED=7.
unsigned seed() {
  const char *Text = std::getenv("LUTHIER_TEST_SEED");
  return Text ? std::strtoul(Text, nullptr, 10) : 20261121;
}

/// All of a wave that can be set. Halves of EXEC and VCC that wave32 does not
/// have stay zero.
struct WaveState {
  uint32_t Scalars[SGPRs] = {};
  uint64_t Exec = 0, VCC = 0;
  uint32_t SCC = 0, M0 = 0;
  std::vector<uint32_t> Vectors; ///< VGPRs, then AGPRs, by lane.
};

class EffectsOnEmulator : public ::testing::TestWithParam<TargetCase> {
protected:
  EffectsOnEmulator() {
    luthier_emu_device_options Options{};
    Options.struct_size = sizeof(Options);
    Options.target = GetParam().Processor.c_str();
    EXPECT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
    const std::string &P = GetParam().Processor;
    AGPRs = P == "gfx908" || P == "gfx90a" || P == "gfx942" || P == "gfx950"
                ? 256
                : 0;
  }
  ~EffectsOnEmulator() override {
    luthier_emu_execution_destroy(Execution);
    luthier_emu_device_destroy(Device);
  }
  unsigned lanes() const { return GetParam().WaveSize; }
  uint64_t allLanes() const { return lanes() == 32 ? 0xffffffffu : ~0ull; }

  /// Random, but for what would only make instructions fault.
  WaveState randomState() {
    WaveState S;
    for (uint32_t &Word : S.Scalars)
      Word = word();
    S.Exec = (uint64_t(word()) << 32 | word()) & allLanes();
    S.VCC = (uint64_t(word()) << 32 | word()) & allLanes();
    S.SCC = word() & 1;
    S.M0 = word() % 4;
    S.Vectors.resize((VGPRs + AGPRs) * lanes());
    for (uint32_t &Word : S.Vectors)
      Word = word();
    return S;
  }
  /// Small numbers and ordinary floats meet more cases than noise.
  uint32_t word() {
    const uint32_t Bits = uint32_t(Random());
    return Bits % 4 == 0 ? Bits >> 28 : Bits % 4 == 1 ? Bits >> 2 : Bits;
  }

  void start(uint64_t Entry) {
    luthier_emu_execution_destroy(Execution);
    Execution = nullptr;
    luthier_emu_raw_launch Launch{};
    Launch.struct_size = sizeof(Launch);
    Launch.entry_address = Entry;
    Launch.grid[0] = Launch.workgroup[0] = lanes();
    Launch.wave_size = lanes();
    Launch.vgprs = VGPRs;
    Launch.agprs = AGPRs;
    Launch.sgprs = SGPRs;
    Launch.mode = 0x3f0; // As the compiler has it.
    ASSERT_EQ(luthier_emu_execution_create_raw(Device, &Launch, &Execution),
              LUTHIER_EMU_OK)
        << luthier_emu_error(Device);
  }

  void set(luthier_emu_register File, unsigned Index, uint64_t Value) {
    luthier_emu_write_scalar(Execution, 0, File, Index, Value);
  }
  uint64_t get(luthier_emu_register File, unsigned Index = 0) {
    uint64_t Value = 0;
    luthier_emu_read_scalar(Execution, 0, File, Index, &Value);
    return Value;
  }

  /// Nothing where the emulator refuses the instruction.
  std::optional<WaveState> run(const WaveState &From, uint64_t PC) {
    for (unsigned I = 0; I < SGPRs; ++I)
      set(LUTHIER_EMU_SGPR, I, From.Scalars[I]);
    set(LUTHIER_EMU_EXEC, 0, From.Exec);
    set(LUTHIER_EMU_VCC, 0, From.VCC);
    set(LUTHIER_EMU_SCC, 0, From.SCC);
    set(LUTHIER_EMU_M0, 0, From.M0);
    set(LUTHIER_EMU_MODE, 0, 0x3f0);
    set(LUTHIER_EMU_PC, 0, PC);
    for (unsigned I = 0; I < VGPRs + AGPRs; ++I)
      luthier_emu_write_vector(
          Execution, 0, I < VGPRs ? LUTHIER_EMU_VGPR : LUTHIER_EMU_AGPR,
          I % VGPRs, 0, lanes(), &From.Vectors[I * lanes()]);
    uint64_t Executed = 0;
    if (luthier_emu_step(Execution, 0, 1, &Executed) != LUTHIER_EMU_OK ||
        Executed != 1)
      return std::nullopt;
    WaveState To;
    for (unsigned I = 0; I < SGPRs; ++I)
      To.Scalars[I] = get(LUTHIER_EMU_SGPR, I);
    To.Exec = get(LUTHIER_EMU_EXEC);
    To.VCC = get(LUTHIER_EMU_VCC);
    To.SCC = get(LUTHIER_EMU_SCC);
    To.M0 = get(LUTHIER_EMU_M0);
    To.Vectors.resize(From.Vectors.size());
    for (unsigned I = 0; I < VGPRs + AGPRs; ++I)
      luthier_emu_read_vector(Execution, 0,
                              I < VGPRs ? LUTHIER_EMU_VGPR : LUTHIER_EMU_AGPR,
                              I % VGPRs, 0, lanes(), &To.Vectors[I * lanes()]);
    return To;
  }

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

  luthier_emu_device *Device = nullptr;
  luthier_emu_execution *Execution = nullptr;
  unsigned AGPRs = 0;
  std::mt19937_64 Random{seed()};
};

/// The word of \p State that unit \p U is, for one lane; null if it has none.
const uint32_t *find(const WaveState &State, unsigned U, unsigned Lane,
                     unsigned Lanes) {
  using S = RegisterSet;
  const uint32_t *Exec = reinterpret_cast<const uint32_t *>(&State.Exec);
  const uint32_t *VCC = reinterpret_cast<const uint32_t *>(&State.VCC);
  if (U >= S::FirstVGPR) {
    const size_t Index = size_t(U - S::FirstVGPR) * Lanes + Lane;
    return Index < State.Vectors.size() ? &State.Vectors[Index] : nullptr;
  }
  if (U < SGPRs)
    return &State.Scalars[U];
  switch (U) {
  case S::SCC:
    return &State.SCC;
  case S::M0:
    return &State.M0;
  case S::VCCLo:
    return VCC;
  case S::VCCHi:
    return Lanes == 64 ? VCC + 1 : nullptr;
  case S::EXECLo:
    return Exec;
  case S::EXECHi:
    return Lanes == 64 ? Exec + 1 : nullptr;
  default:
    return nullptr;
  }
}

bool isVector(unsigned U) { return U >= RegisterSet::FirstVGPR; }

bool agrees(ExecChange Change, uint64_t Before, uint64_t After, uint64_t All) {
  switch (Change) {
  case ExecChange::None:
    return Before == After;
  case ExecChange::Shrinks:
    return (After & ~Before) == 0;
  case ExecChange::Grows:
    return (Before & ~After) == 0;
  case ExecChange::All:
    return After == All;
  case ExecChange::Nothing:
    return After == 0;
  case ExecChange::Inverts:
    return After == (~Before & All);
  case ExecChange::Unknown:
    return true;
  }
  return false;
}

TEST_P(EffectsOnEmulator, HoldForRandomOperationsOnRegisters) {
  constexpr unsigned Count = 700;
  SCOPED_TRACE("LUTHIER_TEST_SEED=" + std::to_string(seed()));
  LiftedKernel Kernel =
      liftAssembly(randomCode(Count) + "s_endpgm\n", GetParam());
  ASSERT_TRUE(Kernel.LR);
  const KernelInfo &Info = Kernel.Object->kernels().front();
  ArrayRef<uint8_t> Bytes =
      cantFail(Kernel.Object->contents(Info.EntryAddress, Info.CodeSize));
  uint64_t Base = 0;
  ASSERT_EQ(luthier_emu_load_raw(Device, Bytes.data(), Bytes.size(), &Base),
            LUTHIER_EMU_OK);
  start(Base);
  const EffectsTable Table = EffectsTable::run(*Kernel.LR);
  unsigned Ran = 0, Failures = 0;
  for (const MachineBasicBlock &MBB : Kernel.LR->kernel())
    for (auto [MI, E] : zip(MBB, Table.of(MBB))) {
      if (MI.isTerminator() || E.ReadsEverything || Failures > 5)
        continue;
      const uint64_t PC =
          Base + *Kernel.LR->originalAddress(MI) - Info.EntryAddress;
      // LLVM decodes more than it, or hardware, has a meaning for.
      const std::string Text = luthier_emu_disassemble(Device, PC, lanes());
      if (Text.find("/*Invalid") != std::string::npos)
        continue;
      RegisterSet Reads, ReadsAnyLane, Writes, Overwrites;
      for (const RegisterEffect &Effect : E.Registers)
        (Effect.Access == RegisterAccess::Read            ? Reads
         : Effect.Access == RegisterAccess::ReadInAnyLane ? ReadsAnyLane
         : Effect.Access == RegisterAccess::Write         ? Writes
                                                          : Overwrites)
            .add(Effect.Units);
      const WaveState A = randomState();
      WaveState B = randomState();
      for (unsigned U = 0; U < RegisterSet::NumUnits; ++U)
        for (unsigned Lane = 0; Lane < (isVector(U) ? lanes() : 1); ++Lane) {
          const uint32_t *From = find(A, U, Lane, lanes());
          const bool IsActive = !isVector(U) || (A.Exec >> Lane & 1);
          if (From && (ReadsAnyLane.unit(U) || (Reads.unit(U) && IsActive)))
            *const_cast<uint32_t *>(find(B, U, Lane, lanes())) = *From;
        }
      auto AfterA = run(A, PC);
      auto AfterB = AfterA ? run(B, PC) : std::nullopt;
      if (!AfterA || !AfterB) {
        start(Base);
        continue;
      }
      ++Ran;
      std::string Wrong;
      raw_string_ostream OS(Wrong);
      if (!agrees(E.Exec, A.Exec, AfterA->Exec, allLanes()))
        OS << " exec";
      const RegisterSet Written = Writes | Overwrites;
      for (unsigned U = 0; U < RegisterSet::NumUnits; ++U)
        for (unsigned Lane = 0; Lane < (isVector(U) ? lanes() : 1); ++Lane) {
          const uint32_t *Before = find(A, U, Lane, lanes());
          if (!Before)
            continue;
          const uint32_t After = *find(*AfterA, U, Lane, lanes());
          const uint32_t Other = *find(*AfterB, U, Lane, lanes());
          RegisterSet One;
          One.addUnit(U);
          if (!Written.unit(U) && After != *Before)
            OS << " writes " << One << " in lane " << Lane;
          const bool IsActive = !isVector(U) || (A.Exec >> Lane & 1);
          if (Overwrites.unit(U) && !Writes.unit(U) && IsActive &&
              After != Other)
            OS << " does not overwrite " << One << " in lane " << Lane
               << ", or reads more";
        }
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
