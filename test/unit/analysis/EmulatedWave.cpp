// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedWave.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/MCTarget.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace luthier::test {
namespace {

constexpr uint32_t Mode = 0x3f0; // As the compiler has it.

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

/// The word of \p State that unit \p U is, for one lane; null if it has none.
const uint32_t *find(const WaveState &State, unsigned U, unsigned Lane,
                     unsigned Lanes, unsigned VGPRs) {
  using S = RegisterSet;
  const uint32_t *Exec = reinterpret_cast<const uint32_t *>(&State.Exec);
  const uint32_t *VCC = reinterpret_cast<const uint32_t *>(&State.VCC);
  if (isVector(U)) {
    unsigned Number = U - S::FirstVGPR;
    if (U >= S::FirstAGPR)
      Number = U - S::FirstAGPR + VGPRs;
    else if (Number >= VGPRs)
      return nullptr;
    const size_t Index = size_t(Number) * Lanes + Lane;
    return Index < State.Vectors.size() ? &State.Vectors[Index] : nullptr;
  }
  if (U < WaveState::SGPRs)
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

RegisterSet registersOf(const InstructionEffects &E, RegisterAccess Access) {
  RegisterSet Result;
  for (const RegisterEffect &Effect : E.Registers)
    if (Effect.Access == Access)
      Result.add(Effect.Units);
  return Result;
}

} // namespace

void WaveMemory::reset() {
  for (unsigned I = 0; I < Global; ++I)
    Bytes[I] = uint8_t(I * 37 + I / 256);
}

EmulatedWave::EmulatedWave(const TargetCase &Target, unsigned VGPRs,
                           unsigned Seed)
    : Target(Target), VGPRs(VGPRs), Random(Seed) {
  luthier_emu_device_options Options{};
  Options.struct_size = sizeof(Options);
  Options.target = Target.Processor.c_str();
  EXPECT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
  EXPECT_EQ(luthier_emu_map(Device, Memory->address(), WaveMemory::Global,
                            Memory->Bytes),
            LUTHIER_EMU_OK);
  const bool HasAGPRs = cantFail(amdgpu::MCTarget::get(Target.Processor, ""))
                            .subtarget()
                            .hasFeature(AMDGPU::FeatureMAIInsts);
  AGPRs = HasAGPRs ? VGPRs : 0;
}

EmulatedWave::~EmulatedWave() {
  luthier_emu_execution_destroy(Execution);
  luthier_emu_device_destroy(Device);
}

void EmulatedWave::load(ArrayRef<uint8_t> Code) {
  ASSERT_EQ(luthier_emu_load_raw(Device, Code.data(), Code.size(), &Base),
            LUTHIER_EMU_OK);
}

std::string EmulatedWave::disassemble(uint64_t PC) const {
  return luthier_emu_disassemble(Device, PC, lanes());
}

void EmulatedWave::restart() {
  luthier_emu_execution_destroy(Execution);
  Execution = nullptr;
  luthier_emu_raw_launch Launch{};
  Launch.struct_size = sizeof(Launch);
  Launch.entry_address = Base;
  Launch.grid[0] = Launch.workgroup[0] = lanes();
  Launch.wave_size = lanes();
  Launch.vgprs = VGPRs;
  Launch.agprs = AGPRs;
  Launch.sgprs = WaveState::SGPRs;
  Launch.lds_size = WaveMemory::LDS;
  Launch.scratch_size = WaveMemory::Scratch;
  Launch.mode = Mode;
  // Scratch is allocated next, behind a page and a gap.
  constexpr uint64_t Page = 4096;
  ASSERT_EQ(luthier_emu_allocate(Device, Page, &ScratchBase), LUTHIER_EMU_OK);
  luthier_emu_free(Device, ScratchBase);
  ScratchBase += 2 * Page;
  ASSERT_EQ(luthier_emu_execution_create_raw(Device, &Launch, &Execution),
            LUTHIER_EMU_OK)
      << luthier_emu_error(Device);
}

void EmulatedWave::set(luthier_emu_register File, unsigned Index,
                       uint64_t Value) {
  luthier_emu_write_scalar(Execution, 0, File, Index, Value);
}

uint64_t EmulatedWave::get(luthier_emu_register File, unsigned Index) {
  uint64_t Value = 0;
  luthier_emu_read_scalar(Execution, 0, File, Index, &Value);
  return Value;
}

/// Small numbers and ordinary floats meet more cases than noise.
uint32_t EmulatedWave::word() {
  const uint32_t Bits = uint32_t(Random());
  return Bits % 4 == 0 ? Bits >> 28 : Bits % 4 == 1 ? Bits >> 2 : Bits;
}

WaveState EmulatedWave::randomState() {
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

WaveState EmulatedWave::whatIsRead(const InstructionEffects &E,
                                   const WaveState &From,
                                   WaveState Other) const {
  const RegisterSet Reads = registersOf(E, RegisterAccess::Read);
  const RegisterSet AnyLane = registersOf(E, RegisterAccess::ReadInAnyLane);
  if (From.ScratchAddressIn && Reads.unit(*From.ScratchAddressIn))
    Other.ScratchAddressIn = From.ScratchAddressIn;
  for (unsigned U = 0; U < RegisterSet::NumUnits; ++U) {
    if (!Reads.unit(U) && !AnyLane.unit(U))
      continue;
    for (unsigned Lane = 0; Lane < (isVector(U) ? lanes() : 1); ++Lane) {
      const bool IsActive = !isVector(U) || (From.Exec >> Lane & 1);
      const uint32_t *Word = find(From, U, Lane, lanes(), VGPRs);
      if (Word && (AnyLane.unit(U) || IsActive))
        *const_cast<uint32_t *>(find(Other, U, Lane, lanes(), VGPRs)) = *Word;
    }
  }
  return Other;
}

std::optional<WaveState> EmulatedWave::run(WaveState &From, uint64_t PC) {
  // What cannot be set, such as EXEC_HI of wave32, is as in the other run.
  restart();
  Memory->reset();
  luthier_emu_write_lds(Execution, 0, 0, WaveMemory::LDS, Memory->Bytes);
  set(LUTHIER_EMU_FLAT_SCRATCH, 0, ScratchBase);
  if (From.ScratchAddressIn) {
    From.Scalars[*From.ScratchAddressIn] = uint32_t(ScratchBase);
    From.Scalars[*From.ScratchAddressIn + 1] = uint32_t(ScratchBase >> 32);
  }
  for (unsigned I = 0; I < WaveState::SGPRs; ++I)
    set(LUTHIER_EMU_SGPR, I, From.Scalars[I]);
  set(LUTHIER_EMU_EXEC, 0, From.Exec);
  set(LUTHIER_EMU_VCC, 0, From.VCC);
  set(LUTHIER_EMU_SCC, 0, From.SCC);
  set(LUTHIER_EMU_M0, 0, From.M0);
  set(LUTHIER_EMU_MODE, 0, Mode);
  set(LUTHIER_EMU_PC, 0, PC);
  for (unsigned I = 0; I < VGPRs + AGPRs; ++I)
    luthier_emu_write_vector(Execution, 0,
                             I < VGPRs ? LUTHIER_EMU_VGPR : LUTHIER_EMU_AGPR,
                             I % VGPRs, 0, lanes(), &From.Vectors[I * lanes()]);
  uint64_t Executed = 0;
  if (luthier_emu_step(Execution, 0, 1, &Executed) != LUTHIER_EMU_OK ||
      Executed != 1)
    return std::nullopt;
  WaveState To;
  for (unsigned I = 0; I < WaveState::SGPRs; ++I)
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

std::string EmulatedWave::differences(const InstructionEffects &E,
                                      const WaveState &A,
                                      const WaveState &AfterA,
                                      const WaveState &AfterB) const {
  const RegisterSet Writes = registersOf(E, RegisterAccess::Write);
  const RegisterSet Overwrites = registersOf(E, RegisterAccess::Overwrite);
  const RegisterSet Written = Writes | Overwrites;
  std::string Wrong;
  raw_string_ostream OS(Wrong);
  if (!agrees(E.Exec, A.Exec, AfterA.Exec, allLanes()))
    OS << " exec";
  for (unsigned U = 0; U < RegisterSet::NumUnits; ++U)
    for (unsigned Lane = 0; Lane < (isVector(U) ? lanes() : 1); ++Lane) {
      const uint32_t *Before = find(A, U, Lane, lanes(), VGPRs);
      if (!Before)
        continue;
      const uint32_t After = *find(AfterA, U, Lane, lanes(), VGPRs);
      const uint32_t Other = *find(AfterB, U, Lane, lanes(), VGPRs);
      RegisterSet One;
      One.addUnit(U);
      if (!Written.unit(U) && After != *Before)
        OS << " writes " << One << " in lane " << Lane;
      const bool IsActive = !isVector(U) || (A.Exec >> Lane & 1);
      if (Overwrites.unit(U) && !Writes.unit(U) && IsActive && After != Other)
        OS << " does not overwrite " << One << " in lane " << Lane
           << ", or reads more";
    }
  return Wrong;
}

} // namespace luthier::test
