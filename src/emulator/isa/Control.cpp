// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, barriers, messages and the wave's own registers. Wave::PC already
// points behind the instruction when a handler runs.
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

void jump(Wave &W, U64 Target) {
  W.PC = Target;
  W.Event = WaveEvent::Redirect;
}
U64 branchTarget(const Wave &W, const Inst &I) {
  return W.PC + I64(I16(I.Immediate)) * 4;
}

template <auto Condition> void branch(Wave &W, const Inst &I) {
  if (Condition(W))
    jump(W, branchTarget(W, I));
}
template <auto Condition> constexpr Operation branchRow(const char *Name) {
  return {Name, branch<Condition>};
}

/// For what only timing, caches or tracing could notice.
void doNothing(Wave &, const Inst &) {}

void getPC(Wave &W, const Inst &I) { W.setS64(I.Dst.Reg, W.PC); }
void setPC(Wave &W, const Inst &I) { jump(W, scalar64(W, I.Src[0]) & ~U64(3)); }
void swapPC(Wave &W, const Inst &I) {
  U64 Target = scalar64(W, I.Src[0]) & ~U64(3);
  W.setS64(I.Dst.Reg, W.PC);
  jump(W, Target);
}
void call(Wave &W, const Inst &I) {
  U64 Target = branchTarget(W, I);
  W.setS64(I.Dst.Reg, W.PC);
  jump(W, Target);
}

void endProgram(Wave &W, const Inst &) { W.Event = WaveEvent::Ended; }
void barrier(Wave &W, const Inst &) { W.Event = WaveEvent::Barrier; }
void sleep(Wave &W, const Inst &) { W.Event = WaveEvent::Yield; }

void trap(Wave &W, const Inst &I) {
  // ROCr's handler returns from a debug trap when no debugger is attached.
  constexpr int DebugTrap = 3;
  if (I.Immediate != DebugTrap)
    W.fault(ExecutionFault::Kind::Trap, "s_trap", U64(I.Immediate));
}

void sendMessage(Wave &W, const Inst &I) {
  constexpr int Interrupt = 1;
  if ((I.Immediate & 0xf) != Interrupt)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "only the interrupt message is emulated");
  if (W.Thread->Interrupt && *W.Thread->Interrupt)
    (*W.Thread->Interrupt)(W.m0());
}

// GPR-index mode: M0[7:0] is the index, M0[15:12] says which operands use it.
void setIndexBits(Wave &W, U32 Index, U32 Operands) {
  W.S[sreg::M0] = (W.m0() & 0xffff0f00) | (Index & 0xff) | Operands << 12;
}
void indexOn(Wave &W, const Inst &I) {
  W.setMode(W.Mode | mode::GprIndexEnable);
  setIndexBits(W, scalar32(W, I.Src[0]), I.Immediate & 0xf);
}
void indexOff(Wave &W, const Inst &) {
  W.setMode(W.Mode & ~mode::GprIndexEnable);
}
void indexMode(Wave &W, const Inst &I) {
  setIndexBits(W, W.m0(), I.Immediate & 0xf);
}
void indexIndex(Wave &W, const Inst &I) {
  setIndexBits(W, scalar32(W, I.Src[0]), W.m0() >> 12 & 0xf);
}

/// The immediate of s_getreg and s_setreg.
struct HardwareField {
  explicit HardwareField(I32 Imm)
      : Id(Imm & 0x3f), Offset(Imm >> 6 & 0x1f), Size((Imm >> 11 & 0x1f) + 1) {}
  unsigned Id, Offset, Size;
  U32 mask() const { return Size == 32 ? ~U32(0) : (U32(1) << Size) - 1; }
};
enum HardwareRegister : unsigned {
  ModeId = 1,
  StatusId = 2,
  TrapStatusId = 3,
  HardwareId = 4,
  GprAllocId = 5,
  LdsAllocId = 6,
  IbStatusId = 7,
  MemoryBasesId = 15,
};

U32 status(Wave &W) {
  constexpr U32 InWorkgroup = 1 << 11, Valid = 1 << 16;
  return W.scc() | U32(W.exec() == 0) << 9 | U32(W.vcc() == 0) << 10 |
         InWorkgroup | Valid;
}

void getRegister(Wave &W, const Inst &I) {
  HardwareField Field(I.Immediate);
  U32 Value;
  switch (Field.Id) {
  case ModeId:
    Value = W.Mode;
    break;
  case StatusId:
    Value = status(W);
    break;
  case TrapStatusId:
  case IbStatusId: // no exceptions raised, no counters outstanding
    Value = 0;
    break;
  case HardwareId: // wave [3:0], SIMD [5:4], CU [11:8]
    Value = (W.Slot & 7) | (W.Slot >> 3 & 3) << 4 | (W.Slot >> 5 & 15) << 8;
    break;
  case GprAllocId: // sizes minus one: VGPRs by 8 [13:8], SGPRs by 16 [27:24]
    Value = (U32(W.Limits & 0xffff) + 7) / 8 - 1;
    Value = Value << 8 | ((U32(W.Limits >> 32 & 0xffff) + 15) / 16 - 1) << 24;
    break;
  case LdsAllocId: // size [20:12] in 128-dword blocks
    Value = (W.LdsSize + 511) / 512 << 12;
    break;
  case MemoryBasesId: // private [15:0], shared [31:16]: address bits 63:48
    Value = U32(ScratchApertureBase >> 48) | U32(LdsApertureBase >> 48) << 16;
    break;
  default:
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "hardware register is not emulated", Field.Id);
  }
  W.S[I.Dst.Reg] = Value >> Field.Offset & Field.mask();
}

void setHardwareRegister(Wave &W, const Inst &I, U32 Value) {
  HardwareField Field(I.Immediate);
  U32 Mask = Field.mask() << Field.Offset;
  switch (Field.Id) {
  case ModeId:
    return W.setMode((W.Mode & ~Mask) | (Value << Field.Offset & Mask));
  case TrapStatusId: // exceptions are never raised, so clearing them is done
    return;
  default:
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "hardware register is not emulated", Field.Id);
  }
}
void setRegister(Wave &W, const Inst &I) {
  setHardwareRegister(W, I, W.S[I.Dst.Reg]);
}
void setRegisterImmediate(Wave &W, const Inst &I) {
  setHardwareRegister(W, I, U32(I.Src[0].Value));
}

constexpr Operation Rows[] = {
    branchRow<[](Wave &) { return true; }>("s_branch"),
    branchRow<[](Wave &W) { return !W.scc(); }>("s_cbranch_scc0"),
    branchRow<[](Wave &W) { return W.scc() != 0; }>("s_cbranch_scc1"),
    branchRow<[](Wave &W) { return W.vcc() == 0; }>("s_cbranch_vccz"),
    branchRow<[](Wave &W) { return W.vcc() != 0; }>("s_cbranch_vccnz"),
    branchRow<[](Wave &W) { return W.exec() == 0; }>("s_cbranch_execz"),
    branchRow<[](Wave &W) { return W.exec() != 0; }>("s_cbranch_execnz"),
    // Taken only under a debugger.
    {"s_cbranch_cdbgsys", doNothing},
    {"s_cbranch_cdbguser", doNothing},
    {"s_cbranch_cdbgsys_or_user", doNothing},
    {"s_cbranch_cdbgsys_and_user", doNothing},

    {"s_getpc_b64", getPC, ValueType::U64},
    {"s_setpc_b64", setPC, ValueType::None, {ValueType::U64}},
    {"s_swappc_b64", swapPC, ValueType::U64, {ValueType::U64}},
    {"s_call_b64", call, ValueType::U64},

    {"s_endpgm", endProgram},
    {"s_endpgm_saved", endProgram},
    {"s_barrier", barrier},
    {"s_sleep", sleep},
    {"s_trap", trap},
    {"s_sendmsg", sendMessage},
    {"s_nop", doNothing},
    {"s_waitcnt", doNothing},
    {"s_setprio", doNothing},
    {"s_wakeup", doNothing},
    {"s_icache_inv", doNothing},
    {"s_dcache_inv", doNothing},
    {"s_dcache_inv_vol", doNothing},
    {"s_dcache_wb", doNothing},
    {"s_dcache_wb_vol", doNothing},
    {"s_incperflevel", doNothing},
    {"s_decperflevel", doNothing},
    {"s_ttracedata", doNothing},

    {"s_set_gpr_idx_on", indexOn, ValueType::None, {ValueType::U32}},
    {"s_set_gpr_idx_off", indexOff},
    {"s_set_gpr_idx_mode", indexMode},
    {"s_set_gpr_idx_idx", indexIndex, ValueType::None, {ValueType::U32}},

    {"s_getreg_b32", getRegister, ValueType::U32},
    {"s_setreg_b32", setRegister, ValueType::U32},
    {"s_setreg_imm32_b32",
     setRegisterImmediate,
     ValueType::None,
     {ValueType::U32}},
};

} // namespace

std::span<const Operation> controlRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
