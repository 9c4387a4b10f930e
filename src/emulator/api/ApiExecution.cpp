// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C API: stopped dispatches, their waves, registers and LDS.
#include "emulator/api/Handles.h"
#include "emulator/exec/FaultText.h"
#include "llvm/Support/MathExtras.h"

using namespace luthier::emulator;
using namespace luthier::emulator::api;

luthier_emu_status api::statusOf(luthier_emu_device *Device,
                                 const ExecutionFault &Fault) {
  using Kind = ExecutionFault::Kind;
  luthier_emu_status Status = LUTHIER_EMU_FAULT;
  if (Fault.What == Kind::Deadlock)
    Status = LUTHIER_EMU_DEADLOCK;
  else if (Fault.What == Kind::Violation)
    Status = LUTHIER_EMU_VIOLATION;
  return fail(Device, Status, Fault.Message);
}

luthier_emu_status api::statusOf(luthier_emu_execution *E,
                                 Execution::Outcome Outcome) {
  api::Device &D = *E->Owner->D;
  const Dispatch &Request = E->L.dispatch();
  CodeCache &Code = D.code(E->L.plan().WaveSize);
  switch (Outcome) {
  case Execution::Outcome::Paused:
  case Execution::Outcome::Ended:
    return LUTHIER_EMU_OK;
  case Execution::Outcome::Faulted:
    return statusOf(E->Owner, describeFault(Request, Code, *E->E->fault()));
  case Execution::Outcome::Stuck:
    return fail(E->Owner, LUTHIER_EMU_DEADLOCK,
                Request.KernelName + ": all waves wait for one another" +
                    describeWaits(E->E->waiting(), Code, Request.EntryPC));
  }
  return LUTHIER_EMU_INVALID_ARGUMENT;
}

namespace {

/// OK if \p E can go on; a lockstep comparison uses it up.
luthier_emu_status checkUsable(luthier_emu_execution *E) {
  if (!E)
    return nullArgument(E);
  if (!E->E)
    return fail(E->Owner, LUTHIER_EMU_INVALID_ARGUMENT,
                "the execution was used up by luthier_emu_lockstep()");
  return LUTHIER_EMU_OK;
}

luthier_emu_status noWave(luthier_emu_execution *E, uint64_t Number,
                          const char *Why) {
  return fail(E->Owner, LUTHIER_EMU_NOT_FOUND,
              "wave " + std::to_string(Number) + " " + Why);
}

/// The wave, if its registers are there; else null and a status.
Wave *waveOf(luthier_emu_execution *E, uint64_t Number,
             luthier_emu_status &Status) {
  Status = checkUsable(E);
  if (Status != LUTHIER_EMU_OK)
    return nullptr;
  if (Number >= E->E->numWaves()) {
    Status = noWave(E, Number, "is none of the dispatch's");
    return nullptr;
  }
  if (Wave *W = E->E->wave(Number)) {
    Status = LUTHIER_EMU_OK;
    return W;
  }
  Status = noWave(E, Number,
                  E->E->hasStarted(Number) ? "has ended and is forgotten"
                                           : "has not started");
  return nullptr;
}

luthier_emu_wave_state stateOf(const Wave &W) {
  switch (W.Event) {
  case WaveEvent::Ended:
    return LUTHIER_EMU_WAVE_ENDED;
  case WaveEvent::Fault:
    return LUTHIER_EMU_WAVE_FAULTED;
  case WaveEvent::Barrier:
  case WaveEvent::SplitBarrier:
    return LUTHIER_EMU_WAVE_AT_BARRIER;
  case WaveEvent::GlobalSync:
    return LUTHIER_EMU_WAVE_AT_GLOBAL_SYNC;
  default:
    return LUTHIER_EMU_WAVE_READY;
  }
}

/// Where a scalar register is in Wave::S, and how wide it is. PC and MODE are
/// not there.
struct ScalarPlace {
  unsigned Index, Bits;
};
std::optional<ScalarPlace> placeOf(const Wave &W, luthier_emu_register File,
                                   uint32_t Index) {
  constexpr unsigned NumTrapTemps = 16;
  const unsigned NumSgprs = W.Limits >> 32 & 0xffff;
  if (File == LUTHIER_EMU_SGPR && Index < NumSgprs)
    return ScalarPlace{Index, 32};
  if (File == LUTHIER_EMU_TTMP && Index < NumTrapTemps)
    return ScalarPlace{sreg::TrapTemp + Index, 32};
  if (Index)
    return std::nullopt;
  switch (File) {
  case LUTHIER_EMU_EXEC:
    return ScalarPlace{sreg::Exec, W.WaveSize};
  case LUTHIER_EMU_VCC:
    return ScalarPlace{sreg::Vcc, W.WaveSize};
  case LUTHIER_EMU_SCC:
    return ScalarPlace{sreg::Scc, 1};
  case LUTHIER_EMU_M0:
    return ScalarPlace{sreg::M0, 32};
  case LUTHIER_EMU_FLAT_SCRATCH:
    return ScalarPlace{W.T->FlatScratch, 64};
  default:
    return std::nullopt;
  }
}

luthier_emu_status noRegister(luthier_emu_execution *E) {
  return fail(E->Owner, LUTHIER_EMU_INVALID_ARGUMENT,
              "the wave has no such register, or not so many lanes");
}

/// The row of a vector register, or null.
uint32_t *rowOf(Wave &W, luthier_emu_register File, uint32_t Index,
                uint32_t FirstLane, uint32_t Count) {
  const bool IsAgpr = File == LUTHIER_EMU_AGPR;
  const uint64_t Limit = W.Limits >> (IsAgpr ? 16 : 0) & 0xffff;
  if ((!IsAgpr && File != LUTHIER_EMU_VGPR) || Index >= Limit ||
      FirstLane > W.WaveSize || Count > W.WaveSize - FirstLane)
    return nullptr;
  return W.vgpr(Index + (IsAgpr ? NumArchVgprs : 0)) + FirstLane;
}

luthier_emu_status outsideLds(luthier_emu_execution *E, const Wave &W) {
  return fail(E->Owner, LUTHIER_EMU_INVALID_ARGUMENT,
              "the workgroup has " + std::to_string(W.LdsSize) +
                  " bytes of LDS");
}

void giveStats(luthier_emu_execution *E, luthier_emu_stats *Stats) {
  const DispatchCounts Counts = E->E->counts();
  if (Stats)
    giveStruct(Stats, luthier_emu_stats{0, Counts.WaveInstructions,
                                        Counts.LaneInstructions});
}

} // namespace

uint64_t luthier_emu_wave_count(const luthier_emu_execution *E) {
  return E && E->E ? E->E->numWaves() : 0;
}

luthier_emu_status luthier_emu_wave(luthier_emu_execution *E, uint64_t Number,
                                    luthier_emu_wave_info *Info) {
  if (!E || !Info)
    return nullArgument(E);
  if (luthier_emu_status Status = checkUsable(E); Status != LUTHIER_EMU_OK)
    return Status;
  if (!hasSize(Info))
    return noSize(E->Owner, "wave info");
  if (Number >= E->E->numWaves())
    return noWave(E, Number, "is none of the dispatch's");
  const LaunchPlan &Plan = E->L.plan();
  const uint64_t Group = Number / Plan.WavesPerWorkgroup;
  const uint32_t *Groups = Plan.NumWorkgroups;
  luthier_emu_wave_info Result{};
  Result.workgroup[0] = uint32_t(Group % Groups[0]);
  Result.workgroup[1] = uint32_t(Group / Groups[0] % Groups[1]);
  Result.workgroup[2] = uint32_t(Group / Groups[0] / Groups[1]);
  Result.number_in_workgroup = uint32_t(Number % Plan.WavesPerWorkgroup);
  Result.wave_size = Plan.WaveSize;
  Result.lds_size = Plan.D->GroupSegmentSize;
  if (const Wave *W = E->E->wave(Number)) {
    Result.state = stateOf(*W);
    Result.pc = W->PC;
    Result.wave_instructions = W->WaveInstructions;
  } else {
    Result.state = E->E->hasStarted(Number) ? LUTHIER_EMU_WAVE_FORGOTTEN
                                            : LUTHIER_EMU_WAVE_WAITING_FOR_ROOM;
  }
  giveStruct(Info, Result);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_step(luthier_emu_execution *E, uint64_t Number,
                                    uint64_t Count, uint64_t *Executed) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (Executed)
    *Executed = 0;
  if (!W)
    return Status;
  const uint64_t Steps = E->E->step(*W, Count);
  if (Executed)
    *Executed = Steps;
  if (W->Event == WaveEvent::Fault)
    return statusOf(E, Execution::Outcome::Faulted);
  E->E->fill();
  return LUTHIER_EMU_OK;
}

/// Like statusOf(), but an execution that ended may have broken rules that did
/// not stop it.
static luthier_emu_status finish(luthier_emu_execution *E,
                                 Execution::Outcome Outcome) {
  api::Device &D = *E->Owner->D;
  D.Clock = E->E->clock();
  const uint64_t New = D.NumViolations - E->NumViolationsBefore;
  if (Outcome != Execution::Outcome::Ended || New == 0)
    return statusOf(E, Outcome);
  const auto &Listed = D.violations();
  return fail(E->Owner, LUTHIER_EMU_VIOLATION,
              Listed.empty()
                  ? "a rule of strict mode was broken"
                  : Listed[Listed.size() - std::min(New, Listed.size())].Text);
}

luthier_emu_status luthier_emu_run_until(luthier_emu_execution *E,
                                         const uint64_t *Addresses,
                                         size_t Count, uint64_t *Number) {
  if (!E || !Number || (!Addresses && Count))
    return nullArgument(E);
  if (luthier_emu_status Status = checkUsable(E); Status != LUTHIER_EMU_OK)
    return Status;
  std::optional<uint64_t> Stopped;
  const auto Outcome = E->E->runUntil({Addresses, Count}, Stopped);
  *Number = Stopped.value_or(UINT64_MAX);
  return finish(E, Outcome);
}

luthier_emu_status luthier_emu_run(luthier_emu_execution *E,
                                   luthier_emu_stats *Stats) {
  if (luthier_emu_status Status = checkUsable(E); Status != LUTHIER_EMU_OK)
    return Status;
  if (!hasSize(Stats))
    return noSize(E->Owner, "statistics");
  const auto Outcome = E->E->run();
  giveStats(E, Stats);
  return finish(E, Outcome);
}

luthier_emu_status luthier_emu_read_scalar(luthier_emu_execution *E,
                                           uint64_t Number,
                                           luthier_emu_register File,
                                           uint32_t Index, uint64_t *Value) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W || !Value)
    return W ? nullArgument(E) : Status;
  if (File == LUTHIER_EMU_PC || File == LUTHIER_EMU_MODE) {
    *Value = File == LUTHIER_EMU_PC ? W->PC : W->Mode;
    return LUTHIER_EMU_OK;
  }
  auto Place = placeOf(*W, File, Index);
  if (!Place)
    return noRegister(E);
  *Value = Place->Bits == 64 ? W->s64(Place->Index) : W->S[Place->Index];
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_write_scalar(luthier_emu_execution *E,
                                            uint64_t Number,
                                            luthier_emu_register File,
                                            uint32_t Index, uint64_t Value) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W)
    return Status;
  if (File == LUTHIER_EMU_PC) {
    W->PC = Value;
    return LUTHIER_EMU_OK;
  }
  if (File == LUTHIER_EMU_MODE) {
    W->setMode(uint32_t(Value));
    return LUTHIER_EMU_OK;
  }
  auto Place = placeOf(*W, File, Index);
  if (!Place)
    return noRegister(E);
  if (E->Observer)
    E->Observer->scalarsGiven(*W, Place->Index, Place->Bits == 64 ? 2 : 1);
  if (Place->Bits == 64)
    W->setS64(Place->Index, Value);
  else
    W->S[Place->Index] = uint32_t(Place->Bits == 1 ? Value & 1 : Value);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_read_vector(luthier_emu_execution *E,
                                           uint64_t Number,
                                           luthier_emu_register File,
                                           uint32_t Index, uint32_t FirstLane,
                                           uint32_t Count, uint32_t *Values) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W || (!Values && Count))
    return W ? nullArgument(E) : Status;
  const uint32_t *Row = rowOf(*W, File, Index, FirstLane, Count);
  if (!Row)
    return noRegister(E);
  std::copy_n(Row, Count, Values);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_write_vector(luthier_emu_execution *E,
                                            uint64_t Number,
                                            luthier_emu_register File,
                                            uint32_t Index, uint32_t FirstLane,
                                            uint32_t Count,
                                            const uint32_t *Values) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W || (!Values && Count))
    return W ? nullArgument(E) : Status;
  uint32_t *Row = rowOf(*W, File, Index, FirstLane, Count);
  if (!Row)
    return noRegister(E);
  if (E->Observer && Count)
    E->Observer->vectorGiven(*W, unsigned(Row - W->V) / NumLanes,
                             llvm::maskTrailingOnes<uint64_t>(Count)
                                 << FirstLane % NumLanes);
  std::copy_n(Values, Count, Row);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_read_lds(luthier_emu_execution *E,
                                        uint64_t Number, uint32_t Offset,
                                        uint32_t Size, void *To) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W || (!To && Size))
    return W ? nullArgument(E) : Status;
  if (Offset > W->LdsSize || Size > W->LdsSize - Offset)
    return outsideLds(E, *W);
  std::copy_n(W->Lds + Offset, Size, static_cast<uint8_t *>(To));
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_write_lds(luthier_emu_execution *E,
                                         uint64_t Number, uint32_t Offset,
                                         uint32_t Size, const void *From) {
  luthier_emu_status Status;
  Wave *W = waveOf(E, Number, Status);
  if (!W || (!From && Size))
    return W ? nullArgument(E) : Status;
  if (Offset > W->LdsSize || Size > W->LdsSize - Offset)
    return outsideLds(E, *W);
  if (E->Observer)
    E->Observer->ldsGiven(*W, Offset, Size);
  std::copy_n(static_cast<const uint8_t *>(From), Size, W->Lds + Offset);
  return LUTHIER_EMU_OK;
}
