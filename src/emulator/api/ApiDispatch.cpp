// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C API: dispatches, run to their end or made to be stepped.
#include "emulator/api/Handles.h"

using namespace luthier::emulator;
using namespace luthier::emulator::api;

namespace {

/// Both kinds of launch, ready to run.
luthier_emu_status makeExecution(luthier_emu_execution &E, bool Prepared,
                                 std::string Error) {
  luthier_emu_device *Device = E.Owner;
  if (!Prepared)
    return fail(Device, LUTHIER_EMU_REFUSED,
                E.L.dispatch().KernelName + ": " + Error);
  static const auto &NoInterrupt = *new std::function<void(uint32_t)>;
  api::Device &D = *Device->D;
  const LaunchPlan &Plan = E.L.plan();
  E.Observer = D.makeObserver(Plan);
  E.E = std::make_unique<Execution>(
      Plan, D.memory().Space, D.code(Plan.WaveSize), NoInterrupt,
      D.options().Seed, D.Clock, E.Observer.get());
  return LUTHIER_EMU_OK;
}

luthier_emu_status prepare(luthier_emu_code *Code, const char *Kernel,
                           const luthier_emu_launch *Launch, api::Launch &To,
                           std::string &Error, bool &Prepared) {
  if (!Code || !Kernel || !Launch)
    return nullArgument(Code);
  if (!hasSize(Launch))
    return noSize(Code->Owner, "launch");
  const auto Given = takeStruct(Launch);
  const LoadedKernel *K = kernelOf(Code, Kernel);
  if (!K)
    return LUTHIER_EMU_NOT_FOUND;
  if (Given.kernarg_size && !Given.kernarg)
    return fail(Code->Owner, LUTHIER_EMU_INVALID_ARGUMENT,
                "kernarg is null, its size is not");
  LaunchRequest R;
  R.Grid = axes(Given.grid);
  R.Workgroup = axes(Given.workgroup);
  R.Kernarg = {static_cast<const uint8_t *>(Given.kernarg), Given.kernarg_size};
  R.DynamicLds = Given.dynamic_lds;
  R.PrivateSegmentSize = Given.private_segment_size;
  R.MinScratch = Given.scratch_reserve;
  Prepared = To.prepare(*K, R, Error);
  return LUTHIER_EMU_OK;
}

luthier_emu_status prepareRaw(luthier_emu_device *Device,
                              const luthier_emu_raw_launch *Launch,
                              api::Launch &To, std::string &Error,
                              bool &Prepared) {
  constexpr uint32_t MaxUserSgprs = 16;
  if (!hasSize(Launch))
    return noSize(Device, "launch");
  const auto Given = takeStruct(Launch);
  RawLaunchRequest R;
  R.WaveSize = Given.wave_size ? Given.wave_size : 64;
  if ((R.WaveSize != 32 && R.WaveSize != 64) ||
      Given.user_sgpr_count > MaxUserSgprs ||
      (Given.user_sgpr_count && !Given.user_sgprs))
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                "a wave size that is not 32 or 64, or user SGPRs that are null "
                "or more than 16");
  R.EntryAddress = Given.entry_address;
  R.Grid = axes(Given.grid);
  R.Workgroup = axes(Given.workgroup);
  R.Vgprs = Given.vgprs;
  R.Agprs = Given.agprs;
  R.Sgprs = Given.sgprs;
  R.UserSgprs = {Given.user_sgprs, Given.user_sgpr_count};
  R.WorkgroupIds = Given.workgroup_ids;
  R.WorkItemAxes = Given.work_item_axes;
  R.LdsSize = Given.lds_size;
  R.ScratchSize = Given.scratch_size;
  R.Mode = Given.mode;
  R.MinScratch = Given.scratch_reserve;
  Prepared = To.prepare(R, Error);
  return LUTHIER_EMU_OK;
}

/// Runs to the end; without observers as the shader array does it.
luthier_emu_status runToEnd(luthier_emu_execution &E,
                            luthier_emu_stats *Stats) {
  luthier_emu_device *Device = E.Owner;
  api::Device &D = *Device->D;
  if (!E.L.isPlain() || D.isObserved()) {
    luthier_emu_status Status = makeExecution(E, true, "");
    return Status == LUTHIER_EMU_OK ? luthier_emu_run(&E, Stats) : Status;
  }
  DispatchCounts Counts;
  auto Fault = D.shaders().run(E.L.dispatch(), Counts);
  if (Stats)
    giveStruct(Stats, luthier_emu_stats{0, Counts.WaveInstructions,
                                        Counts.LaneInstructions});
  return Fault ? statusOf(Device, *Fault) : LUTHIER_EMU_OK;
}

} // namespace

luthier_emu_status luthier_emu_dispatch(luthier_emu_code *Code,
                                        const char *Kernel,
                                        const luthier_emu_launch *Launch,
                                        luthier_emu_stats *Stats) {
  if (!Code)
    return nullArgument(Code);
  if (!hasSize(Stats))
    return noSize(Code->Owner, "statistics");
  luthier_emu_execution E(Code->Owner);
  std::string Error;
  bool Prepared = false;
  luthier_emu_status Status =
      prepare(Code, Kernel, Launch, E.L, Error, Prepared);
  if (Status != LUTHIER_EMU_OK)
    return Status;
  return Prepared ? runToEnd(E, Stats) : makeExecution(E, false, Error);
}

luthier_emu_status
luthier_emu_dispatch_raw(luthier_emu_device *Device,
                         const luthier_emu_raw_launch *Launch,
                         luthier_emu_stats *Stats) {
  if (!Device || !Launch)
    return nullArgument(Device);
  if (!hasSize(Stats))
    return noSize(Device, "statistics");
  luthier_emu_execution E(Device);
  std::string Error;
  bool Prepared = false;
  luthier_emu_status Status = prepareRaw(Device, Launch, E.L, Error, Prepared);
  if (Status != LUTHIER_EMU_OK)
    return Status;
  return Prepared ? runToEnd(E, Stats) : makeExecution(E, false, Error);
}

luthier_emu_status
luthier_emu_execution_create(luthier_emu_code *Code, const char *Kernel,
                             const luthier_emu_launch *Launch,
                             luthier_emu_execution **Result) {
  if (!Code || !Result)
    return nullArgument(Code);
  auto E = std::make_unique<luthier_emu_execution>(Code->Owner);
  std::string Error;
  bool Prepared = false;
  luthier_emu_status Status =
      prepare(Code, Kernel, Launch, E->L, Error, Prepared);
  if (Status == LUTHIER_EMU_OK)
    Status = makeExecution(*E, Prepared, Error);
  if (Status == LUTHIER_EMU_OK)
    *Result = E.release();
  return Status;
}

luthier_emu_status
luthier_emu_execution_create_raw(luthier_emu_device *Device,
                                 const luthier_emu_raw_launch *Launch,
                                 luthier_emu_execution **Result) {
  if (!Device || !Launch || !Result)
    return nullArgument(Device);
  auto E = std::make_unique<luthier_emu_execution>(Device);
  std::string Error;
  bool Prepared = false;
  luthier_emu_status Status = prepareRaw(Device, Launch, E->L, Error, Prepared);
  if (Status == LUTHIER_EMU_OK)
    Status = makeExecution(*E, Prepared, Error);
  if (Status == LUTHIER_EMU_OK)
    *Result = E.release();
  return Status;
}

void luthier_emu_execution_destroy(luthier_emu_execution *E) {
  if (E && E->E)
    E->Owner->D->Clock = E->E->clock();
  delete E;
}
