// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resident workgroup: its waves, registers and LDS.
#ifndef LUTHIER_EMULATOR_EXEC_WORKGROUP_H
#define LUTHIER_EMULATOR_EXEC_WORKGROUP_H

#include "emulator/core/Wave.h"
#include "emulator/exec/LaunchPlan.h"
#include <memory>
#include <span>
#include <vector>

namespace luthier::emulator {

/// Reusable: one object takes one workgroup after another.
class Workgroup {
public:
  Workgroup(const LaunchPlan &Plan, ThreadContext &Thread,
            unsigned FirstScratchSlot);

  /// Sets up all waves of workgroup number \p Index.
  void start(uint64_t Index, uint64_t Seed, UnitPlaces::Place Where);
  UnitPlaces::Place place() const { return Place; }
  /// Releases waves at the barrier once all that still run have arrived.
  void settleBarrier();
  bool finished() const { return NumRunning == 0; }
  /// To be called when one of the waves has ended.
  void waveEnded() {
    --NumRunning;
    Split.leave();
  }

  std::vector<Wave> Waves;
  /// Waves that have not ended.
  unsigned NumRunning = 0;
  /// SGPRs that the launch set, the same ones in all waves: user registers, and
  /// from the first system register on, up to the end. A descriptor may count
  /// more user registers than it asks values for; what they hold is left over.
  struct LaunchScalars {
    unsigned NumUser = 0, FirstSystem = 0, End = 0;
  };
  LaunchScalars Scalars;

private:
  void invertGarbage(uint32_t *V, std::span<uint32_t> S) const;
  void startWave(unsigned Number, const uint32_t (&Id)[3], uint64_t Seed);
  uint64_t activeLanes(unsigned Number, const uint32_t (&Id)[3],
                       uint32_t *ItemIds) const;
  void setScalars(Wave &W);
  void setUserRegisters(Wave &W);
  void setTrapTemporaries(Wave &W) const;
  WavePlace placeOf(unsigned Number) const;

  const LaunchPlan &Plan;
  ThreadContext &Thread;
  unsigned FirstScratchSlot;
  UnitPlaces::Place Place;
  std::unique_ptr<uint32_t[]> Registers;
  uint32_t *AlignedRegisters = nullptr;
  std::vector<uint32_t> Lds;
  SplitBarrier Split;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_WORKGROUP_H
