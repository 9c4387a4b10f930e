// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave's registers that s_getreg and s_setreg name by number. Numbers mean
// different registers in different generations.
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

/// Wave [3:0], SIMD [5:4], CU [11:8].
U32 place(Wave &W) {
  return (W.Slot & 7) | (W.Slot >> 3 & 3) << 4 | (W.Slot >> 5 & 15) << 8;
}
/// Wave [4:0], SIMD [9:8], WGP [13:10].
U32 placeFrom10(Wave &W) {
  return (W.Slot & 7) | (W.Slot >> 3 & 3) << 8 | (W.Slot >> 5 & 15) << 10;
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

struct HardwareRegister {
  unsigned Id;
  unsigned FirstGeneration, LastGeneration;
  U32 (*Read)(Wave &);
  /// Null where a write is not allowed or not possible.
  void (*Write)(Wave &, U32) = nullptr;
};

constexpr HardwareRegister Registers[] = {
    {1, 9, 12, modeBits, setMode},
    {2, 9, 11, status},
    {2, 12, 12, conditions},
    {3, 9, 11, zero, ignore}, // TRAPSTS
    {4, 9, 9, place},
    {4, 12, 12, privateState},
    {5, 9, 9, registers},
    {5, 10, 12, registersFrom10},
    {6, 9, 12, ldsSize},
    {7, 9, 12, zero}, // IB_STS
    {15, 9, 11, memoryBases},
    {16, 9, 10, zero}, // TBA and TMA
    {17, 9, 10, zero},
    {18, 9, 10, zero},
    {19, 9, 10, zero},
    {17, 12, 12, zero},         // EXCP_FLAG_PRIV
    {18, 12, 12, zero, ignore}, // EXCP_FLAG_USER
    {19, 12, 12, zero, ignore}, // TRAP_CTRL
    {20, 9, 9, zero},           // XCC_ID: there is one
    {20, 10, 10, flatScratchLow, setFlatScratchLow},
    {21, 10, 10, flatScratchHigh, setFlatScratchHigh},
    {20, 11, 11, flatScratchLow},
    {21, 11, 11, flatScratchHigh},
    {23, 10, 12, placeFrom10},
    {24, 10, 12, zero},         // HW_ID2: the first queue of the first pipe
    {26, 12, 12, zero, ignore}, // SCHED_MODE
    {28, 10, 12, zero},         // IB_STS2
    {29, 10, 11, cycles},
    {29, 12, 12, cyclesLow},
    {30, 12, 12, cyclesHigh},
    {31, 12, 12, zero}, // DVGPR_ALLOC: registers are not dynamic
    {32, 12, 12, zero},
};

const HardwareRegister *find(Wave &W, unsigned Id) {
  for (const HardwareRegister &R : Registers)
    if (R.Id == Id && W.T->Generation >= R.FirstGeneration &&
        W.T->Generation <= R.LastGeneration)
      return &R;
  W.fault(ExecutionFault::Kind::UnknownOperation,
          "hardware register is not emulated", Id);
  return nullptr;
}

void getRegister(Wave &W, const Inst &I) {
  HardwareField Field(I.Immediate);
  if (const HardwareRegister *R = find(W, Field.Id))
    W.S[I.Dst.Reg] = R->Read(W) >> Field.Offset & Field.mask();
}

void write(Wave &W, HardwareField Field, U32 Value) {
  const HardwareRegister *R = find(W, Field.Id);
  if (!R)
    return;
  if (!R->Write)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "hardware register cannot be written", Field.Id);
  U32 Mask = Field.mask() << Field.Offset;
  R->Write(W, (R->Read(W) & ~Mask) | (Value << Field.Offset & Mask));
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
