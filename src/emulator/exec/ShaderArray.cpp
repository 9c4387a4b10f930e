// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/ShaderArray.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/Observer.h"
#include "emulator/exec/Scheduler.h"
#include "emulator/isa/Operation.h"
#include <algorithm>
#include <thread>

namespace luthier::emulator {

namespace {

class Gfx9ShaderArray final : public ShaderArray {
public:
  Gfx9ShaderArray(Options Opts, AddressSpace &Memory,
                  std::unique_ptr<Decoder> D)
      : Opts(std::move(Opts)), Memory(Memory),
        Code(std::move(D), Memory, bool(this->Opts.Observe)) {}

  std::optional<ExecutionFault> run(const Dispatch &D,
                                    DispatchCounts &Counts) override;
  void invalidateCode(uint64_t Begin, uint64_t End) override {
    Code.invalidate(Begin, End);
  }

private:
  ExecutionFault describe(const Dispatch &D, const WaveFault &Fault);

  Options Opts;
  AddressSpace &Memory;
  CodeCache Code;
  /// Keeps s_memtime growing from one dispatch to the next.
  std::atomic<uint64_t> Clock{1};
};

std::string hex(uint64_t Value) {
  char Text[19];
  snprintf(Text, sizeof(Text), "0x%llx",
           static_cast<unsigned long long>(Value));
  return Text;
}

ExecutionFault Gfx9ShaderArray::describe(const Dispatch &D,
                                         const WaveFault &Fault) {
  ExecutionFault Result{Fault.Kind, Fault.PC, Fault.Address, ""};
  Result.Message = D.KernelName + " at " + hex(Fault.PC) + " (entry + " +
                   hex(Fault.PC - D.EntryPC) + "): " + Code.print(Fault.PC) +
                   ": " + Fault.Detail;
  if (Fault.Address)
    Result.Message += " " + hex(Fault.Address);
  return Result;
}

std::optional<ExecutionFault> Gfx9ShaderArray::run(const Dispatch &D,
                                                   DispatchCounts &Counts) {
  LaunchPlan Plan;
  std::string Error;
  if (!Plan.init(D, Error))
    return ExecutionFault{ExecutionFault::Kind::InvalidDispatch, D.EntryPC, 0,
                          D.KernelName + ": " + Error};
  Scheduler::Shared Shared(Plan, Memory, Code, Opts.Interrupt, Opts.Seed,
                           Clock.load());
  unsigned Threads = std::clamp(Opts.Threads, 1u, Plan.MaxResident);
  std::unique_ptr<DispatchObserver> Observer;
  if (Opts.Observe) {
    Observer = Opts.Observe(Plan);
    Shared.Observer = Observer.get();
    Shared.Run = operationSet().RunObserved;
    Threads = 1;
  }
  Threads = unsigned(std::min<uint64_t>(Threads, Plan.TotalWorkgroups));
  unsigned PerThread = Plan.MaxResident / Threads;
  auto Work = [&](unsigned Number) {
    Scheduler(Shared, Number * PerThread, PerThread).run();
  };
  std::vector<std::thread> Helpers;
  for (unsigned N = 1; N < Threads; ++N)
    Helpers.emplace_back(Work, N);
  Work(0);
  for (std::thread &Helper : Helpers)
    Helper.join();
  Counts.WaveInstructions += Shared.Counts.WaveInstructions;
  Counts.LaneInstructions += Shared.Counts.LaneInstructions;
  Clock.fetch_add(Shared.Counts.WaveInstructions + 1);
  if (Shared.Fault)
    return describe(D, *Shared.Fault);
  return std::nullopt;
}

} // namespace

ShaderArray::~ShaderArray() = default;

std::unique_ptr<ShaderArray>
ShaderArray::create(Options Opts, AddressSpace &Memory, std::string &Error) {
  // Rows for further targets will say what differs; until then, refuse them.
  if (Opts.Processor != "gfx90a") {
    Error = "processor " + Opts.Processor + " is not emulated";
    return nullptr;
  }
  auto D = Decoder::create(Opts.Processor, operationSet().Tables, Error);
  if (!D)
    return nullptr;
  return std::make_unique<Gfx9ShaderArray>(std::move(Opts), Memory,
                                           std::move(D));
}

} // namespace luthier::emulator
