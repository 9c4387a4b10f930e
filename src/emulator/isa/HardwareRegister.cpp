// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave's registers that s_getreg and s_setreg name by number.
#include "emulator/isa/Clock.h"
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"
#include <algorithm>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// The immediate of s_getreg and s_setreg.
struct HardwareField {
  explicit HardwareField(I32 Imm)
      : Id(Imm & 0x3f), Offset(Imm >> 6 & 0x1f), Size((Imm >> 11 & 0x1f) + 1) {}
  unsigned Id, Offset, Size;
  U32 mask() const { return Size == 32 ? ~U32(0) : (U32(1) << Size) - 1; }
};

/// Nothing to report: no exception is raised, no counter outstanding, no trap
/// handler loaded.
U32 zero(Wave &) { return 0; }
U32 modeBits(Wave &W) { return W.Mode; }

U32 conditions(Wave &W) {
  constexpr U32 InWorkgroup = 1 << 11;
  return U32(W.exec() == 0) << 9 | U32(W.vcc() == 0) << 10 | InWorkgroup;
}
U32 status(Wave &W) {
  constexpr U32 Valid = 1 << 16;
  return W.scc() | conditions(W) | Valid;
}
U32 privateState(Wave &W) { return W.scc() << 9; }

/// Wave [3:0], SIMD [5:4], CU [11:8], engine [14:13].
U32 place(Wave &W) {
  const WavePlace &P = W.Place;
  return (P.Slot & 15) | (P.Simd & 3) << 4 | (P.Unit & 15) << 8 |
         (P.Engine & 3) << 13;
}
/// Wave [4:0], SIMD [9:8], WGP [13:10], engine [19:18].
U32 placeFrom10(Wave &W) {
  const WavePlace &P = W.Place;
  return (P.Slot & 31) | (P.Simd & 3) << 8 | (P.Unit & 15) << 10 |
         (P.Engine & 3) << 18;
}

U32 unitsLessOne(U64 Count, unsigned Unit) {
  return U32((std::max<U64>(Count, 1) + Unit - 1) / Unit - 1);
}
/// VGPRs [13:8], SGPRs by 16 [27:24].
U32 registers(Wave &W) {
  return unitsLessOne(W.Limits & 0xffff, W.T->VgprAllocation) << 8 |
         unitsLessOne(W.Limits >> 32 & 0xffff, 16) << 24;
}
/// VGPRs [19:12], in units of those that a wave of this size gets.
U32 registersFrom10(Wave &W) {
  unsigned Unit = W.T->VgprAllocation * (NumLanes / W.WaveSize);
  return unitsLessOne(W.Limits & 0xffff, Unit) << 12;
}
/// Size [20:12] in blocks of 128 dwords.
U32 ldsSize(Wave &W) { return (W.LdsSize + 511) / 512 << 12; }

/// Address bits 63:48 of the apertures: private [15:0], shared [31:16].
U32 memoryBases(Wave &) {
  return U32(ScratchApertureBase >> 48) | U32(LdsApertureBase >> 48) << 16;
}

U32 flatScratchLow(Wave &W) { return W.S[W.T->FlatScratch]; }
U32 flatScratchHigh(Wave &W) { return W.S[W.T->FlatScratch + 1]; }

U32 cycles(Wave &W) { return U32(shaderClock(W)) & 0xfffff; }
U32 cyclesLow(Wave &W) { return U32(shaderClock(W)); }
U32 cyclesHigh(Wave &W) { return U32(shaderClock(W) >> 32); }

void setFlatScratchLow(Wave &W, U32 Value) { W.S[W.T->FlatScratch] = Value; }
void setFlatScratchHigh(Wave &W, U32 Value) {
  W.S[W.T->FlatScratch + 1] = Value;
}
void setMode(Wave &W, U32 Value) { W.setMode(Value); }
/// Exceptions are never raised, so clearing them is done; what only timing
/// could show has no state.
void ignore(Wave &, U32) {}

struct RegisterAccess {
  U32 (*Read)(Wave &);
  /// Null where a write is not allowed or not possible.
  void (*Write)(Wave &, U32) = nullptr;
};

/// Without a function to read it where it cannot be read.
constexpr RegisterAccess accessOf(HardwareRegister R) {
  switch (R) {
  case HardwareRegister::None:
  case HardwareRegister::NotEmulated:
    return {nullptr};
  case HardwareRegister::Mode:
    return {modeBits, setMode};
  case HardwareRegister::Status:
    return {status};
  case HardwareRegister::WaveStatus:
    return {conditions};
  case HardwareRegister::StatePriv:
    return {privateState};
  case HardwareRegister::TrapStatus:
  case HardwareRegister::ExceptionsUser:
  case HardwareRegister::TrapControl:
  case HardwareRegister::SchedulingMode:
    return {zero, ignore};
  case HardwareRegister::ExceptionsPriv:
  case HardwareRegister::TrapAddress:
  case HardwareRegister::HwId2: // the first queue of the first pipe
  case HardwareRegister::XccId: // there is one
  case HardwareRegister::IbStatus:
  case HardwareRegister::IbStatus2:
  case HardwareRegister::DynamicVgprs: // registers are not dynamic
    return {zero};
  case HardwareRegister::HwId:
    return {place};
  case HardwareRegister::HwId1:
    return {placeFrom10};
  case HardwareRegister::GprAlloc:
    return {registers};
  case HardwareRegister::WaveGprAlloc:
    return {registersFrom10};
  case HardwareRegister::LdsAlloc:
    return {ldsSize};
  case HardwareRegister::MemoryBases:
    return {memoryBases};
  case HardwareRegister::FlatScratchLow:
    return {flatScratchLow, setFlatScratchLow};
  case HardwareRegister::FlatScratchHigh:
    return {flatScratchHigh, setFlatScratchHigh};
  case HardwareRegister::ScratchBaseLow:
    return {flatScratchLow};
  case HardwareRegister::ScratchBaseHigh:
    return {flatScratchHigh};
  case HardwareRegister::ShaderCycles:
    return {cycles};
  case HardwareRegister::ShaderCyclesLow:
    return {cyclesLow};
  case HardwareRegister::ShaderCyclesHigh:
    return {cyclesHigh};
  }
  return {nullptr};
}

/// Reports what cannot be read, and then has no function to do so.
RegisterAccess find(Wave &W, unsigned Id) {
  const HardwareRegister R = W.T->HardwareRegisters[Id];
  const RegisterAccess Access = accessOf(R);
  if (!Access.Read)
    W.fault(ExecutionFault::Kind::UnknownOperation,
            R == HardwareRegister::None ? "there is no such hardware register"
                                        : "hardware register is not emulated",
            Id);
  return Access;
}

void getRegister(Wave &W, const Inst &I) {
  HardwareField Field(I.Immediate);
  if (const RegisterAccess R = find(W, Field.Id); R.Read)
    W.S[I.Dst.Reg] = R.Read(W) >> Field.Offset & Field.mask();
}

void write(Wave &W, HardwareField Field, U32 Value) {
  const RegisterAccess R = find(W, Field.Id);
  if (!R.Read)
    return;
  if (!R.Write)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "hardware register cannot be written", Field.Id);
  U32 Mask = Field.mask() << Field.Offset;
  R.Write(W, (R.Read(W) & ~Mask) | (Value << Field.Offset & Mask));
}
void setRegister(Wave &W, const Inst &I) {
  write(W, HardwareField(I.Immediate), W.S[I.Dst.Reg]);
}
void setRegisterImmediate(Wave &W, const Inst &I) {
  write(W, HardwareField(I.Immediate), U32(I.Src[0].Value));
}

/// Replaces four bits of MODE.
template <unsigned Shift> void setModeField(Wave &W, const Inst &I) {
  W.setMode((W.Mode & ~(U32(15) << Shift)) | (U32(I.Immediate) & 15) << Shift);
}

constexpr Operation Rows[] = {
    {"s_getreg_b32", getRegister, ValueType::U32},
    {"s_setreg_b32", setRegister, ValueType::U32},
    {"s_setreg_imm32_b32",
     setRegisterImmediate,
     ValueType::None,
     {ValueType::U32}},
    {"s_round_mode", setModeField<mode::RoundSingle>},
    {"s_denorm_mode", setModeField<mode::DenormSingle>},
};

} // namespace

std::span<const Operation> hardwareRegisterRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
