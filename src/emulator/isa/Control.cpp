// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, barriers and messages. Wave::PC already
// points behind the instruction when a handler runs.
#include "emulator/isa/Clock.h"
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"
#include <bit>

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
  constexpr int Interrupt = 1, DeallocateVgprs = 3;
  int Message = I.Immediate & 0xf;
  // No later instruction of the wave may use vector registers.
  if (Message == DeallocateVgprs && W.T->HasDeallocMessage)
    return;
  if (Message != Interrupt)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "message is not emulated", U64(Message));
  if (W.Thread->Interrupt && *W.Thread->Interrupt)
    (*W.Thread->Interrupt)(W.m0());
}

/// Messages that are answered.
template <class T> void askMessage(Wave &W, const Inst &I) {
  constexpr U64 Doorbell = 128, DispatchDrawId = 129, TrapMemory = 130,
                RealTime = 131, TrapHandler = 133;
  switch (U64 Message = I.Src[0].Value & 0xff) {
  case RealTime:
    return scalarResult<T>(W, I, T(realTime(W)));
  case Doorbell: // the queue's, which is the first
  case DispatchDrawId:
  case TrapMemory: // no trap handler is loaded
  case TrapHandler:
    return scalarResult<T>(W, I, 0);
  default:
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "message is not emulated", Message);
  }
}

void halt(Wave &W, const Inst &) {
  W.fault(ExecutionFault::Kind::Trap, "wave halts and nobody can resume it");
}
void setHalt(Wave &W, const Inst &I) {
  if (I.Immediate & 1)
    halt(W, I);
}
void setKill(Wave &W, const Inst &I) {
  if (I.Immediate & 1)
    W.Event = WaveEvent::Ended;
}
void codeEnd(Wave &W, const Inst &) {
  W.fault(ExecutionFault::Kind::IllegalInstruction, "ran past the code's end");
}

// Split barriers. An immediate names the barrier, or M0 does, which can name
// only those that other waves have set up.
enum Barrier : I32 { None = 0, OfWorkgroup = -1, OfTraps = -2 };
I32 barrierNumber(Wave &W, const Inst &I) {
  return I.Src[0].Kind == Source::Constant ? I32(I.Src[0].Value)
                                           : I32(W.m0() & 0x1f);
}
/// False when there is nothing to signal.
bool signalBarrier(Wave &W, I32 Number) {
  if (Number == Barrier::None || Number == Barrier::OfTraps)
    return false;
  if (Number == Barrier::OfWorkgroup) {
    W.Split->signal();
    return true;
  }
  W.fault(ExecutionFault::Kind::UnknownOperation,
          "named barriers are not emulated", U64(I64(Number)));
  return false;
}
void barrierSignal(Wave &W, const Inst &I) {
  signalBarrier(W, barrierNumber(W, I));
}
void barrierSignalFirst(Wave &W, const Inst &I) {
  bool IsFirst = W.Split->numSignals() == 0;
  W.scc() = signalBarrier(W, barrierNumber(W, I)) && IsFirst;
}
void barrierWait(Wave &W, const Inst &I) {
  if (I16(I.Immediate) != Barrier::OfWorkgroup)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "named barriers are not emulated", U64(I.Immediate));
  if (!W.passesSplitBarrier())
    W.Event = WaveEvent::SplitBarrier;
}
/// Valid [0], members [10:4], signals [22:16].
void barrierState(Wave &W, const Inst &I) {
  U32 State = 0;
  if (barrierNumber(W, I) == Barrier::OfWorkgroup)
    State = 1 | W.Split->numMembers() << 4 | W.Split->numSignals() << 16;
  W.S[I.Dst.Reg] = State;
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

// Structured divergence: a fork runs the path with fewer lanes first and leaves
// the other's PC and EXEC in four SGPRs, which a join takes from there.
constexpr unsigned ForkEntry = 4;
unsigned forkDepth(const Wave &W) { return W.Mode >> mode::ForkDepth; }
void setForkDepth(Wave &W, unsigned Depth) {
  constexpr U32 Field = U32(7) << mode::ForkDepth;
  W.setMode((W.Mode & ~Field) | (Depth << mode::ForkDepth & Field));
}
void fork(Wave &W, U64 Mask, U64 Target) {
  U64 Exec = W.exec(), Pass = Mask & Exec, Fail = ~Mask & Exec;
  if (Pass == Exec)
    return jump(W, Target);
  if (Fail == Exec)
    return;
  unsigned Entry = forkDepth(W) * ForkEntry;
  if (Entry + ForkEntry > (W.Limits >> 32 & 0xffff))
    return W.fault(ExecutionFault::Kind::InvalidDispatch,
                   "fork stack is outside the allocated SGPRs");
  setForkDepth(W, forkDepth(W) + 1);
  bool FailFirst = std::popcount(Fail) < std::popcount(Pass);
  W.setS64(Entry, FailFirst ? Target : W.PC);
  W.setS64(Entry + 2, FailFirst ? Pass : Fail);
  W.setS64(sreg::Exec, FailFirst ? Fail : Pass);
  if (!FailFirst)
    jump(W, Target);
}
void forkTo(Wave &W, const Inst &I) {
  fork(W, scalar64(W, I.Src[0]), scalar64(W, I.Src[1]));
}
void forkBy(Wave &W, const Inst &I) {
  fork(W, W.s64(I.Dst.Reg), branchTarget(W, I));
}
void join(Wave &W, const Inst &I) {
  unsigned Depth = forkDepth(W);
  if (Depth == scalar32(W, I.Src[0]))
    return;
  if (Depth == 0)
    return W.fault(ExecutionFault::Kind::InvalidDispatch, "join without fork");
  setForkDepth(W, --Depth);
  U64 Target = W.s64(Depth * ForkEntry);
  W.setS64(sreg::Exec, W.s64(Depth * ForkEntry + 2));
  jump(W, Target);
}

// A loop body that runs for each half of EXEC; the register keeps the half that
// waits.
U32 &execLow(Wave &W) { return W.S[sreg::Exec]; }
U32 &execHigh(Wave &W) { return W.S[sreg::Exec + 1]; }
void subvectorBegin(Wave &W, const Inst &I) {
  U32 &Saved = W.S[I.Dst.Reg];
  if (!execLow(W) && !execHigh(W))
    return jump(W, branchTarget(W, I));
  if (!execLow(W)) {
    Saved = 0;
    return;
  }
  Saved = execHigh(W);
  execHigh(W) = 0;
}
void subvectorEnd(Wave &W, const Inst &I) {
  U32 &Saved = W.S[I.Dst.Reg];
  if (execHigh(W)) {
    execLow(W) = Saved;
  } else if (Saved) {
    execHigh(W) = Saved;
    Saved = execLow(W);
    execLow(W) = 0;
    jump(W, branchTarget(W, I));
  }
}

/// Generation 9: vector instructions have no effect while the bit is set.
void setSkipVector(Wave &W, const Inst &I) {
  bool Skip = scalar32(W, I.Src[0]) >> (scalar32(W, I.Src[1]) & 31) & 1;
  W.setMode((W.Mode & ~mode::SkipVector) | (Skip ? mode::SkipVector : 0));
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
    {"s_cbranch_g_fork",
     forkTo,
     ValueType::None,
     {ValueType::U64, ValueType::U64}},
    {"s_cbranch_i_fork", forkBy, ValueType::U64},
    {"s_cbranch_join", join, ValueType::None, {ValueType::U32}},
    {"s_subvector_loop_begin", subvectorBegin, ValueType::U32},
    {"s_subvector_loop_end", subvectorEnd, ValueType::U32},
    {"s_setvskip",
     setSkipVector,
     ValueType::None,
     {ValueType::U32, ValueType::U32}},

    {"s_endpgm", endProgram},
    {"s_endpgm_saved", endProgram},
    {"s_barrier", barrier},
    {"s_sleep", sleep},
    {"s_trap", trap},
    {"s_sendmsg", sendMessage},
    {"s_sendmsghalt", halt},
    {"s_sendmsg_rtn_b32", askMessage<U32>, ValueType::U32, {ValueType::U32}},
    {"s_sendmsg_rtn_b64", askMessage<U64>, ValueType::U64, {ValueType::U32}},
    {"s_sethalt", setHalt},
    {"s_setkill", setKill},
    {"s_code_end", codeEnd},
    {"s_sleep_var", sleep, ValueType::None, {ValueType::U32}},
    {"s_barrier_signal", barrierSignal, ValueType::None, {ValueType::U32}},
    {"s_barrier_signal_isfirst",
     barrierSignalFirst,
     ValueType::None,
     {ValueType::U32}},
    {"s_barrier_wait", barrierWait},
    {"s_get_barrier_state", barrierState, ValueType::U32, {ValueType::U32}},
    {"s_nop", doNothing},
    {"s_waitcnt", doNothing},
    {"s_setprio", doNothing},
    {"s_wakeup", doNothing},
    {"s_icache_inv", doNothing},
    {"s_incperflevel", doNothing},
    {"s_decperflevel", doNothing},
    {"s_ttracedata", doNothing},
    {"s_ttracedata_imm", doNothing},
    {"s_version", doNothing},
    {"s_clause", doNothing},
    {"s_delay_alu", doNothing},
    {"s_inst_prefetch", doNothing},
    {"s_set_inst_prefetch_distance", doNothing},
    {"s_waitcnt_vscnt", doNothing},
    {"s_waitcnt_vmcnt", doNothing},
    {"s_waitcnt_expcnt", doNothing},
    {"s_waitcnt_lgkmcnt", doNothing},
    {"s_waitcnt_depctr", doNothing},
    {"s_wait_idle", doNothing},
    {"s_wait_event", doNothing},
    {"s_wait_alu", doNothing},
    {"s_wait_loadcnt", doNothing},
    {"s_wait_storecnt", doNothing},
    {"s_wait_samplecnt", doNothing},
    {"s_wait_bvhcnt", doNothing},
    {"s_wait_expcnt", doNothing},
    {"s_wait_dscnt", doNothing},
    {"s_wait_kmcnt", doNothing},
    {"s_wait_loadcnt_dscnt", doNothing},
    {"s_wait_storecnt_dscnt", doNothing},

    {"s_set_gpr_idx_on", indexOn, ValueType::None, {ValueType::U32}},
    {"s_set_gpr_idx_off", indexOff},
    {"s_set_gpr_idx_mode", indexMode},
    {"s_set_gpr_idx_idx", indexIndex, ValueType::None, {ValueType::U32}},
};

} // namespace

std::span<const Operation> controlRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
