// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C API: copies of devices, and two versions of a kernel side by side.
#include "emulator/api/Handles.h"

using namespace luthier::emulator;
using namespace luthier::emulator::api;

luthier_emu_status luthier_emu_clone(luthier_emu_device *Device,
                                     luthier_emu_device **Clone) {
  if (!Device || !Clone)
    return nullArgument(Device);
  std::string Error;
  auto Copy = Device->D->clone(Error);
  if (!Copy)
    return fail(Device, LUTHIER_EMU_OUT_OF_MEMORY, Error);
  *Clone = new luthier_emu_device{std::move(Copy), "", {}};
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_clone_code(luthier_emu_device *Clone,
                                          const luthier_emu_code *Code,
                                          luthier_emu_code **Copy) {
  if (!Clone || !Code || !Copy)
    return nullArgument(Clone);
  if (!Clone->D->memory().Space.contains(Code->Code.Begin, Code->Code.Size))
    return fail(Clone, LUTHIER_EMU_NOT_FOUND,
                "the device was cloned before the code was loaded");
  *Copy = new luthier_emu_code{Clone, Code->Code};
  return LUTHIER_EMU_OK;
}

namespace {

bool convert(const luthier_emu_allowance &From, unsigned FlatScratch,
             lockstep::Options::Allowance &To) {
  auto Set = [&](RegisterFile File, unsigned First, unsigned Count) {
    To = {From.first_pc, From.last_pc, {File, uint16_t(First), uint8_t(Count)}};
    return true;
  };
  const unsigned Count = std::min(From.count, 255u);
  switch (From.file) {
  case LUTHIER_EMU_SGPR:
    return Set(RegisterFile::Scalar, From.index, Count);
  case LUTHIER_EMU_VGPR:
    return Set(RegisterFile::Vector, From.index, Count);
  case LUTHIER_EMU_AGPR:
    return Set(RegisterFile::Vector, NumArchVgprs + From.index, Count);
  case LUTHIER_EMU_EXEC:
    return Set(RegisterFile::Scalar, sreg::Exec, 2);
  case LUTHIER_EMU_VCC:
    return Set(RegisterFile::Scalar, sreg::Vcc, 2);
  case LUTHIER_EMU_SCC:
    return Set(RegisterFile::Scalar, sreg::Scc, 1);
  case LUTHIER_EMU_M0:
    return Set(RegisterFile::Scalar, sreg::M0, 1);
  case LUTHIER_EMU_FLAT_SCRATCH:
    return Set(RegisterFile::Scalar, FlatScratch, 2);
  default:
    return false;
  }
}

luthier_emu_status convert(luthier_emu_device *Device,
                           const luthier_emu_lockstep_options &From,
                           lockstep::Options &To) {
  for (size_t N = 0; N != From.map_count; ++N)
    To.ToOriginal[From.map[N].instrumented] = From.map[N].original;
  To.InPlaceBegin = From.in_place.begin;
  To.InPlaceEnd = From.in_place.end;
  for (size_t N = 0; N != From.allowance_count; ++N)
    if (!convert(From.allowances[N], Device->D->target().FlatScratch,
                 To.Allowed.emplace_back()))
      return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                  "allowance " + std::to_string(N) +
                      " is about a register that cannot be allowed");
  for (size_t N = 0; N != From.ignored_count; ++N)
    To.Ignored.push_back({From.ignored[N].begin, From.ignored[N].end});
  To.CompareInstructions = !From.allow_other_instructions;
  To.OnlyWhatIsRead = From.only_what_is_read;
  To.Seed = From.seed;
  if (From.most_payload)
    To.MaxPayload = From.most_payload;
  std::string Error;
  auto Strict = strict::parseOptions(From.strict ? From.strict : "", Error);
  if (!Strict)
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT, "strict: " + Error);
  To.Strict = *Strict;
  return LUTHIER_EMU_OK;
}

luthier_emu_difference describe(const lockstep::Difference &D,
                                const std::string &Text) {
  luthier_emu_difference Result{};
  Result.kind = lockstep::nameOf(D.What);
  Result.original_pc = D.OriginalPC;
  Result.instrumented_pc = D.InstrumentedPC;
  std::ranges::copy(D.Workgroup, Result.workgroup);
  Result.wave = D.Wave;
  Result.lane = D.Lane ? int32_t(*D.Lane) : -1;
  Result.reg = D.Register.c_str();
  Result.address = D.Address;
  Result.original = D.Original;
  Result.instrumented = D.Instrumented;
  Result.writer_pc = D.WriterPC;
  Result.text = Text.c_str();
  return Result;
}

} // namespace

luthier_emu_status
luthier_emu_lockstep(luthier_emu_execution *Original,
                     luthier_emu_execution *Instrumented,
                     const luthier_emu_lockstep_options *Options,
                     luthier_emu_difference *Difference) {
  if (!Original || !Instrumented || !Options)
    return nullArgument(Original);
  luthier_emu_device *Device = Original->Owner;
  if (!hasSize(Options))
    return noSize(Device, "options");
  if (!hasSize(Difference))
    return noSize(Device, "difference");
  const auto Given = takeStruct(Options);
  if ((!Given.map && Given.map_count) ||
      (!Given.allowances && Given.allowance_count) ||
      (!Given.ignored && Given.ignored_count) || Device == Instrumented->Owner)
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                "a list is null, or both executions are of one device");
  for (const luthier_emu_execution *E : {Original, Instrumented})
    if (!E->E || E->E->counts().WaveInstructions)
      return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                  "an execution has executed something already");
  lockstep::Options O;
  luthier_emu_status Status = convert(Device, Given, O);
  if (Status != LUTHIER_EMU_OK)
    return Status;
  for (const Launch::Extent &E : Original->L.ownMemory())
    O.Ignored.push_back({E.Begin, E.End});
  auto SideOf = [](luthier_emu_execution *E) {
    api::Device &D = *E->Owner->D;
    LaunchPlan &Plan = E->L.plan();
    E->E.reset();
    return lockstep::Side{Plan, D.memory().Space, D.code(Plan.WaveSize)};
  };
  lockstep::Result R = lockstep::run(SideOf(Original), SideOf(Instrumented), O);
  if (R.OriginalFault)
    return fail(Device, LUTHIER_EMU_FAULT, *R.OriginalFault);
  luthier_emu_difference Outcome{};
  if (R.Found) {
    Instrumented->Difference = std::move(R.Found);
    Instrumented->DifferenceText = Instrumented->Difference->text();
    Outcome = describe(*Instrumented->Difference, Instrumented->DifferenceText);
  }
  Outcome.compared = R.Compared;
  Outcome.inserted = R.PayloadInstructions;
  if (Difference)
    giveStruct(Difference, Outcome);
  if (!Instrumented->Difference)
    return LUTHIER_EMU_OK;
  return fail(Device, LUTHIER_EMU_DIFFERENT, Instrumented->DifferenceText);
}
