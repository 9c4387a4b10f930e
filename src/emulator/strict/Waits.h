// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads in flight: which registers still wait for memory, and what the wave's
// wait counters guarantee.
#ifndef LUTHIER_EMULATOR_STRICT_WAITS_H
#define LUTHIER_EMULATOR_STRICT_WAITS_H

#include "emulator/strict/InstFacts.h"
#include "emulator/strict/Options.h"
#include "emulator/strict/Reporter.h"
#include <array>
#include <bitset>
#include <random>
#include <vector>

namespace luthier::emulator::strict {

/// A wave's loads that no wait has covered yet.
class WaitTracker {
public:
  explicit WaitTracker(LoadTiming Timing) : Timing(Timing) {}
  /// Another wave begins.
  void start(uint64_t Seed);

  /// Before \p I executes, \p W's PC past it: looks for registers it must not
  /// touch yet, and lets loads land that it waits for.
  void step(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R) {
    if (!Loads.empty())
      stepLoads(W, I, Facts, R);
  }
  /// Loads into \p Given are back, with all that they bring, and need not be
  /// waited for any more as far as \p Given goes.
  void giveUp(Wave &W, RegisterFile File, Span Given);
  /// The same for all loads to LDS.
  void giveUpLds();
  /// Executes \p I, whose result may show later.
  void execute(Wave &W, const Inst &I, Handler Fn, const InstFacts &Facts) {
    if (Facts.IsCounted)
      executeCounted(W, I, Fn, Facts);
    else
      Fn(W, I);
  }

private:
  static constexpr uint8_t LowHalf = 1, HighHalf = 2, BothHalves = 3;

  struct Load {
    uint64_t PC;
    /// Counters that have not covered it, and whether later operations that
    /// they count return later.
    bool Waits[NumCounters] = {};
    bool Ordered = false;
    /// Of each counter, when it was issued.
    uint64_t Issued[NumCounters] = {};
    llvm::SmallVector<Span, 2> Vectors, Scalars;
    /// Those of each vector register that it brings; see halvesOf().
    uint8_t Halves = BothHalves;
    uint64_t Lanes = 0;
    /// Of a load to LDS: where the first lane's data go, and how many bytes of
    /// each lane.
    uint32_t LdsBase = 0, LdsBytes = 0;
    /// What the registers will hold; empty when they do already.
    std::vector<uint32_t> Values;
    /// Instructions until they do.
    uint32_t Delay = 0;
  };

  void stepLoads(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void executeCounted(Wave &W, const Inst &I, Handler Fn,
                      const InstFacts &Facts);
  void check(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  void checkLds(Wave &W, const Inst &I, const InstFacts &Facts, Reporter &R);
  bool reportOverlap(Wave &W, const Inst &I, const InstFacts &Facts,
                     Reporter &R, RegisterFile File, Span Regs, bool IsWrite);
  static uint8_t halvesOf(Part P);
  static uint8_t halvesOf(const Inst &I, const InstFacts &Facts, Span Regs,
                          bool IsWrite);
  void await(Wave &W, const std::array<unsigned, NumCounters> &Most);
  void land(Wave &W, Load &L);
  void markBusy(const Load &L);
  void markAllBusy();
  void putAside(Wave &W, const Inst &I, Handler Fn, Load &L);

  LoadTiming Timing;
  std::minstd_rand Random;
  std::vector<Load> Loads;
  /// Memory to be used again: for Load::Values, and for what the registers of
  /// an operation hold.
  std::vector<std::vector<uint32_t>> Unused;
  std::vector<uint32_t> Old;
  uint64_t Issued[NumCounters] = {};
  std::bitset<NumVectorRegs> BusyVectors;
  std::bitset<256> BusyScalars;
  /// See summary().
  uint64_t SomeBusyVectors = 0, SomeBusyScalars = 0;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_WAITS_H
