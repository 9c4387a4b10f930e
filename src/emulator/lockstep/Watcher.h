// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes what one version's waves write, so that only that needs comparing.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_WATCHER_H
#define LUTHIER_EMULATOR_LOCKSTEP_WATCHER_H

#include "emulator/core/Observer.h"
#include "emulator/core/Wave.h"
#include "emulator/exec/InstInfo.h"
#include <bitset>
#include <functional>
#include <unordered_map>
#include <vector>

namespace luthier::emulator::lockstep {

/// What a wave has done since its state was last compared.
struct Trace {
  std::bitset<NumVectorRegs> Vectors;
  bool Lds = false;
  /// Addresses that the last instruction stored to, with the bytes at each.
  std::vector<uint64_t> StoreAddresses;
  unsigned StoreBytes = 0;
  const InstInfo *Last = nullptr;
  /// Of each register, the last instruction that wrote it.
  uint64_t VectorWriter[NumVectorRegs] = {};
  uint64_t ScalarWriter[256] = {};
};

class Watcher final : public DispatchObserver {
public:
  explicit Watcher(std::unique_ptr<DispatchObserver> Inner)
      : Inner(std::move(Inner)) {}

  void workgroupStarted(Workgroup &Group) override;
  void workgroupEnded(Workgroup &Group) override;
  void execute(Wave &W, const Inst &I, Handler Fn) override;
  const Wave *uninitialised(const Wave &W) override {
    return Inner ? Inner->uninitialised(W) : nullptr;
  }
  void vectorLost(const Wave &W, unsigned Reg, unsigned Lane,
                  uint32_t Bits) override {
    if (Inner)
      Inner->vectorLost(W, Reg, Lane, Bits);
  }
  void scalarLost(const Wave &W, unsigned Reg, uint32_t Bits) override {
    if (Inner)
      Inner->scalarLost(W, Reg, Bits);
  }
  void scalarsGiven(Wave &W, unsigned First, unsigned Count) override {
    if (Inner)
      Inner->scalarsGiven(W, First, Count);
  }
  void functionLeft(const Wave &W) override {
    if (Inner)
      Inner->functionLeft(W);
  }

  /// Called before each instruction, with the PC behind it.
  std::function<void(Wave &, const Inst &)> Before;

  /// Called when one has been executed.
  std::function<void(Wave &, const Inst &)> After;

  Trace &trace(const Wave &W) { return Traces.at(&W); }
  const Trace &trace(const Wave &W) const { return Traces.at(&W); }

private:
  std::unique_ptr<DispatchObserver> Inner;
  /// Waves keep their address while they run.
  std::unordered_map<const Wave *, Trace> Traces;
};

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_WATCHER_H
