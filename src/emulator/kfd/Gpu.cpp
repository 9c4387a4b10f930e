// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/Gpu.h"

#include "emulator/cp/KernelNames.h"
#include "emulator/cp/Report.h"
#include "emulator/exec/LaunchPlan.h"
#include "emulator/strict/StrictMode.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace luthier::emulator {

/// AMDGPU_FAMILY_* of <libdrm/amdgpu_drm.h>: AI, NV, GC 11.0.0 and GC 12.0.0.
static uint32_t familyOf(const Target &T) {
  switch (T.Generation) {
  case 9:
    return 141;
  case 10:
    return 143;
  case 11:
    return 145;
  default:
    return 152;
  }
}

Gpu::Gpu(GpuOwner &Owner, uint32_t Node, const DeviceModel &Model)
    : Owner(Owner), Node(Node), Model(Model),
      Name("Luthier emulated " + std::string(Model.Name)) {
  DrmInfo.GpuId = id();
  DrmInfo.DeviceId = Model.DeviceId;
  DrmInfo.RenderMinor = uint32_t(renderMinor());
  DrmInfo.Family = familyOf(Model.target());
  DrmInfo.ComputeUnits = Model.ComputeUnits;
  DrmInfo.ShaderEngines = Model.ShaderEngines;
  DrmInfo.Name = Name.c_str();
}

/// ROCr's own kernels are written by hand. Those of 7.2 do not keep
/// instructions apart that compilers do for gfx942 and gfx1201, and who runs a
/// program cannot mend that.
static decltype(ShaderArray::Options::Observe)
strictObserver(const strict::Options &O) {
  // Without "continue", the dispatch's fault says the same.
  auto Sink = [Continue = O.Continue](const strict::Violation &V) {
    if (Continue)
      reportError(V.text());
  };
  strict::Options ForRuntime = O;
  ForRuntime.Hazards = false;
  return
      [OfPrograms = strict::observer(O, Sink),
       OfRuntime = strict::observer(ForRuntime, Sink)](const LaunchPlan &Plan) {
        return isBlitKernel(Plan.D->KernelName) ? OfRuntime(Plan)
                                                : OfPrograms(Plan);
      };
}

bool Gpu::start(const Configuration &Config, std::string &Error) {
  ShaderArray::Options Options;
  Options.Processor = Model.Name;
  Options.Seed = Config.Seed;
  Options.Threads = Config.Threads;
  Options.ComputeUnits = Model.ComputeUnits;
  Options.ShaderEngines = Model.ShaderEngines;
  Options.ForgivesLds = !Config.Strict.anyCheck();
  if (Config.Strict.anyCheck()) {
    Options.Seed = Config.Strict.Seed.value_or(Config.Seed);
    Options.Observe = strictObserver(Config.Strict);
  }
  if (!Config.CountsPath.empty())
    Options.Observe =
        [this, Other = std::move(Options.Observe)](const LaunchPlan &Plan) {
          return Counts.observer(Plan, Other ? Other(Plan) : nullptr);
        };
  Options.WatchdogNanoseconds = Config.WatchdogSeconds * 1'000'000'000;
  Options.WatchdogOnlyReports = Config.WatchdogOnlyReports;
  Options.InstructionLimit = Config.InstructionLimit;
  Options.Report = reportError;
  auto MakeShaders = [&](AddressSpace &Memory,
                         std::function<void(uint32_t)> Interrupt,
                         std::string &Error) {
    Options.Interrupt = std::move(Interrupt);
    return ShaderArray::create(Options, Memory, Error);
  };
  Processor = CommandProcessor::create(Model, MakeShaders, *this, Stats, Error);
  if (!Processor)
    return false;
  Doorbells = Owner.file().mapDoorbells(Node - 1);
  if (!Doorbells) {
    Error = std::string("no memory for doorbells: ") + std::strerror(errno);
    return false;
  }
  Watch = DoorbellWatch::create(Doorbells);
  return true;
}

MemoryTable::Device Gpu::memoryDevice(uint64_t LocalBytes) const {
  CommandProcessor &P = *Processor;
  return {id(), &P.memory(), LocalBytes, [&P](uint64_t Begin, uint64_t End) {
            P.shaders().invalidateCode(Begin, End);
          }};
}

void Gpu::raiseEvent(uint32_t EventId) { Owner.events().raise(EventId); }

void Gpu::raiseMailboxEvents() { Owner.events().raiseFromSlots(); }

void Gpu::explainFault(uint64_t PC) { Owner.explainFault(PC); }

void Gpu::reportMemoryFault(uint64_t Address) {
  Owner.smiEvents().reportMemoryFault(id());
  if (Owner.events().raiseMemoryFault(id(), Address))
    return;
  // Nobody could ever learn of it.
  reportError("no handler for memory faults is installed");
  std::abort();
}

/// ROCr ends the process with abort(), which runs no destructors and flushes
/// nothing. A stream that somebody else holds, who may wait for input for ever,
/// is left alone.
void Gpu::prepareForEnd() {
  Owner.writeStatistics();
  for (std::FILE *Stream : {stdout, stderr}) {
    if (::ftrylockfile(Stream) != 0)
      continue;
    ::fflush_unlocked(Stream);
    ::funlockfile(Stream);
  }
}

} // namespace luthier::emulator
