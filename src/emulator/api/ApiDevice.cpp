// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C API: devices, their memory, and what they have counted.
#include "emulator/api/Handles.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>

using namespace luthier::emulator;
using namespace luthier::emulator::api;

namespace {
std::string hex(uint64_t Value) { return "0x" + llvm::utohexstr(Value, true); }

luthier_emu_status unmapped(luthier_emu_device *Device, uint64_t Address,
                            uint64_t Size) {
  return fail(Device, LUTHIER_EMU_UNMAPPED,
              "the device has no memory at some of the " +
                  std::to_string(Size) + " bytes from " + hex(Address));
}
} // namespace

namespace {
/// Without a destructor: calls may come when a thread's variables are gone.
thread_local char ThreadError[1024];
} // namespace

void api::setThreadError(const std::string &Text) {
  std::snprintf(ThreadError, sizeof(ThreadError), "%s", Text.c_str());
}

uint32_t luthier_emu_version(void) {
  return LUTHIER_EMU_VERSION_MAJOR << 16 | LUTHIER_EMU_VERSION_MINOR;
}

const char *luthier_emu_status_name(luthier_emu_status Status) {
  static constexpr const char *Names[] = {"ok",
                                          "invalid-argument",
                                          "unknown-target",
                                          "not-found",
                                          "bad-code-object",
                                          "overlap",
                                          "out-of-memory",
                                          "unmapped",
                                          "refused",
                                          "fault",
                                          "deadlock",
                                          "violation",
                                          "different"};
  return unsigned(Status) < std::size(Names) ? Names[Status] : "unknown";
}

const char *luthier_emu_target(uint32_t Index) {
  return Index < targets().size() ? targets()[Index].Name.data() : nullptr;
}

luthier_emu_status
luthier_emu_device_create(const luthier_emu_device_options *Options,
                          luthier_emu_device **Device) {
  setThreadError("");
  luthier_emu_device *None = nullptr;
  if (!Options || !Device)
    return nullArgument(None);
  if (!hasSize(Options))
    return noSize(None, "options");
  const auto Given = takeStruct(Options);
  if (!Given.target)
    return fail(None, LUTHIER_EMU_INVALID_ARGUMENT, "no target is given");
  api::Device::Options Opts;
  Opts.T = findTarget(Given.target);
  std::string Error;
  if (!Opts.T) {
    Error =
        "target '" + std::string(Given.target) + "' is not emulated; known are";
    for (const Target &T : targets())
      Error += (&T == targets().data() ? " " : ", ") + std::string(T.Name);
    return fail(None, LUTHIER_EMU_UNKNOWN_TARGET, std::move(Error));
  }
  Opts.Seed = Given.seed;
  Opts.Threads = std::max(Given.threads, 1u);
  Opts.ComputeUnits = Given.compute_units ? Given.compute_units : 8;
  Opts.CountInstructions = Given.count_instructions != 0;
  auto Strict = strict::parseOptions(Given.strict ? Given.strict : "", Error);
  if (!Strict)
    return fail(None, LUTHIER_EMU_INVALID_ARGUMENT, "strict: " + Error);
  Opts.Strict = *Strict;
  Opts.Seed = Strict->Seed.value_or(Opts.Seed);
  auto D = api::Device::create(Opts, Error);
  if (!D)
    return fail(None, LUTHIER_EMU_UNKNOWN_TARGET, std::move(Error));
  *Device = new luthier_emu_device{std::move(D), "", {}};
  return LUTHIER_EMU_OK;
}

void luthier_emu_device_destroy(luthier_emu_device *Device) { delete Device; }

const char *luthier_emu_error(const luthier_emu_device *Device) {
  return Device ? Device->D->Error.c_str() : ThreadError;
}

luthier_emu_status luthier_emu_map(luthier_emu_device *Device, uint64_t Address,
                                   uint64_t Size, void *Host) {
  if (!Device)
    return nullArgument(Device);
  if (!Size || !Host || Address + Size < Address)
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                "cannot map " + std::to_string(Size) + " bytes at " +
                    hex(Address));
  if (!Device->D->memory().lend(Address, Size, Host))
    return fail(Device, LUTHIER_EMU_OVERLAP,
                "some of the " + std::to_string(Size) + " bytes from " +
                    hex(Address) + " are mapped already");
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_unmap(luthier_emu_device *Device,
                                     uint64_t Address) {
  if (!Device)
    return nullArgument(Device);
  if (!Device->D->memory().takeBack(Address))
    return fail(Device, LUTHIER_EMU_NOT_FOUND,
                "nothing was mapped at " + hex(Address));
  Device->D->invalidateCode(0, UINT64_MAX);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_allocate(luthier_emu_device *Device,
                                        uint64_t Size, uint64_t *Address) {
  if (!Device)
    return nullArgument(Device);
  if (!Size || !Address)
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                "an allocation needs a size and a place for its address");
  const uint64_t Result = Device->D->memory().allocate(Size);
  if (!Result)
    return fail(Device, LUTHIER_EMU_OUT_OF_MEMORY,
                "no memory for " + std::to_string(Size) + " bytes");
  *Address = Result;
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_free(luthier_emu_device *Device,
                                    uint64_t Address) {
  if (!Device)
    return nullArgument(Device);
  if (!Device->D->memory().free(Address))
    return fail(Device, LUTHIER_EMU_NOT_FOUND,
                "nothing was allocated at " + hex(Address));
  Device->D->invalidateCode(0, UINT64_MAX);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_read(luthier_emu_device *Device,
                                    uint64_t Address, void *To, uint64_t Size) {
  if (!Device || (!To && Size))
    return nullArgument(Device);
  if (!Device->D->memory().read(Address, To, Size))
    return unmapped(Device, Address, Size);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_write(luthier_emu_device *Device,
                                     uint64_t Address, const void *From,
                                     uint64_t Size) {
  if (!Device || (!From && Size))
    return nullArgument(Device);
  if (!Device->D->memory().write(Address, From, Size))
    return unmapped(Device, Address, Size);
  for (luthier_emu_execution *E : Device->Executions)
    if (E->Observer)
      E->Observer->memoryGiven(Address, Size);
  Device->D->invalidateCode(Address, Address + Size);
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_counts(luthier_emu_device *Device,
                                      luthier_emu_count *Entries,
                                      size_t Capacity, size_t *Count) {
  if (!Device || !Count || (!Entries && Capacity))
    return nullArgument(Device);
  if (!Device->D->options().CountInstructions)
    return fail(Device, LUTHIER_EMU_INVALID_ARGUMENT,
                "the device does not count instructions");
  size_t Seen = 0;
  Device->D->counts().forEach([&](uint64_t PC, const auto &C) {
    if (Seen < Capacity)
      Entries[Seen] = {PC, C.Waves, C.Lanes};
    ++Seen;
  });
  *Count = Seen;
  return LUTHIER_EMU_OK;
}

luthier_emu_status luthier_emu_clear_counts(luthier_emu_device *Device) {
  if (!Device)
    return nullArgument(Device);
  Device->D->counts().clear();
  return LUTHIER_EMU_OK;
}

size_t luthier_emu_violation_count(const luthier_emu_device *Device) {
  return Device ? Device->D->violations().size() : 0;
}

luthier_emu_status luthier_emu_violation_at(luthier_emu_device *Device,
                                            size_t Index,
                                            luthier_emu_violation *Violation) {
  if (!Device || !Violation)
    return nullArgument(Device);
  if (!hasSize(Violation))
    return noSize(Device, "violation");
  const auto &All = Device->D->violations();
  if (Index >= All.size())
    return fail(Device, LUTHIER_EMU_NOT_FOUND,
                "there is no violation " + std::to_string(Index));
  const auto &[V, Text] = All[Index];
  luthier_emu_violation Result{};
  Result.rule = strict::nameOf(V.What);
  Result.kernel = V.Kernel.c_str();
  Result.pc = V.PC;
  Result.other_pc = V.OtherPC.value_or(0);
  Result.instruction = V.Instruction.c_str();
  std::ranges::copy(V.Workgroup, Result.workgroup);
  Result.wave = V.Wave;
  Result.lane = V.Lane ? int32_t(*V.Lane) : -1;
  Result.reg = V.Register.c_str();
  Result.text = Text.c_str();
  giveStruct(Violation, Result);
  return LUTHIER_EMU_OK;
}

void luthier_emu_clear_violations(luthier_emu_device *Device) {
  if (Device)
    Device->D->violations().clear();
}

const char *luthier_emu_disassemble(luthier_emu_device *Device,
                                    uint64_t Address, uint32_t WaveSize) {
  constexpr uint64_t Shortest = 4;
  if (!Device || !Device->D->memory().Space.contains(Address, Shortest) ||
      (WaveSize == 32 && !Device->D->target().HasWave32))
    return nullptr;
  Device->Disassembly = Device->D->code(WaveSize).print(Address);
  return Device->Disassembly.c_str();
}
