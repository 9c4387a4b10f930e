// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of one's own: memory, a shader array, and what it has counted.
#ifndef LUTHIER_EMULATOR_API_DEVICE_H
#define LUTHIER_EMULATOR_API_DEVICE_H

#include "emulator/api/Memory.h"
#include "emulator/core/Target.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/ExecutionCounts.h"
#include "emulator/exec/ShaderArray.h"
#include "emulator/strict/StrictMode.h"
#include <deque>

namespace luthier::emulator::api {

class Device {
public:
  struct Options {
    const Target *T = nullptr;
    uint64_t Seed = 0;
    unsigned Threads = 1;
    unsigned ComputeUnits = 8;
    bool CountInstructions = false;
    strict::Options Strict;
  };
  /// Null, with a message, if LLVM lacks the target.
  static std::unique_ptr<Device> create(const Options &Opts,
                                        std::string &Error);

  /// With a copy of the memory. Null if that fails.
  std::unique_ptr<Device> clone(std::string &Error) const;

  const Options &options() const { return Opts; }
  const Target &target() const { return *Opts.T; }
  api::Memory &memory() { return Mem; }
  /// Runs without observers.
  ShaderArray &shaders() { return *Shaders; }
  /// Code for waves of so many lanes, described for observers.
  CodeCache &code(unsigned WaveSize) {
    return WaveSize == 32 ? *Narrow : *Wide;
  }
  void invalidateCode(uint64_t Begin, uint64_t End);
  ExecutionCounts &counts() { return Counts; }
  /// With strict mode's text of each.
  struct Violation {
    strict::Violation V;
    std::string Text;
  };
  std::deque<Violation> &violations() { return Violations; }
  /// Ever found, those that were cleared included.
  uint64_t NumViolations = 0;
  /// Whether dispatches have observers.
  bool isObserved() const {
    return Opts.CountInstructions || Opts.Strict.anyCheck();
  }
  /// Null where nobody watches.
  std::unique_ptr<DispatchObserver> makeObserver(const LaunchPlan &Plan);

  /// Keeps s_memtime growing from one dispatch to the next.
  uint64_t Clock = 1;
  /// Of the last call that failed.
  std::string Error;

private:
  explicit Device(const Options &Opts) : Opts(Opts) {}
  bool init(std::string &Error);
  std::unique_ptr<CodeCache> cache(unsigned WaveSize, std::string &Error);

  Options Opts;
  api::Memory Mem;
  std::unique_ptr<ShaderArray> Shaders;
  std::unique_ptr<CodeCache> Wide, Narrow;
  ExecutionCounts Counts;
  std::deque<Violation> Violations;
};

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_DEVICE_H
