// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resident workgroup: its waves, registers and LDS.
#ifndef LUTHIER_EMULATOR_EXEC_WORKGROUP_H
#define LUTHIER_EMULATOR_EXEC_WORKGROUP_H

#include "emulator/exec/Dispatch.h"
#include "emulator/exec/Wave.h"
#include <memory>
#include <string>
#include <vector>

namespace luthier::emulator {

/// What of a dispatch is the same for all its workgroups.
struct LaunchPlan {
  /// False, with a reason, when a workgroup does not fit a compute unit.
  bool init(const Dispatch &Request, const Target &Row,
            const AddressSpace &Memory, std::string &Error);

  const Dispatch *D = nullptr;
  const Target *T = nullptr;
  const AddressSpace *Memory = nullptr;
  unsigned WaveSize = NumLanes;
  uint32_t NumWorkgroups[3] = {};
  uint64_t TotalWorkgroups = 0;
  unsigned WavesPerWorkgroup = 0;
  /// Register file sizes as Wave::Limits holds them.
  uint64_t Limits = 0;
  unsigned NumVgprs = 0, NumAgprs = 0;
  uint32_t InitialMode = 0;
  uint64_t EntryPC = 0;
  /// Kernel arguments that the launch puts into user registers.
  unsigned NumPreloaded = 0;
  uint32_t Preloaded[16] = {};
  /// Most workgroups that may be resident at a time, and how many usually are:
  /// the others come when those make no way.
  unsigned ResidentLimit = 0, MaxResident = 0;
  /// Workgroups that one compute unit has room for.
  unsigned WorkgroupsPerUnit = 0;
  /// Of the device; set before init().
  unsigned ComputeUnits = 8;

private:
  bool initGrid(std::string &Error);
  bool initRegisters(std::string &Error);
  bool initLds(std::string &Error);
  void initMode();
  bool initPreload(const AddressSpace &Memory, std::string &Error);
  bool initResidency(std::string &Error);

  /// Places that share registers and LDS, and waves that one holds.
  unsigned NumUnits = 0, WavesPerUnit = 0;
};

/// Reusable: one object takes one workgroup after another.
class Workgroup {
public:
  Workgroup(const LaunchPlan &Plan, ThreadContext &Thread,
            unsigned FirstScratchSlot);

  /// Sets up all waves of workgroup number \p Index.
  void start(uint64_t Index, uint64_t Seed);
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
  void startWave(unsigned Number, const uint32_t (&Id)[3], uint64_t Seed);
  uint64_t activeLanes(unsigned Number, const uint32_t (&Id)[3],
                       uint32_t *ItemIds) const;
  void setScalars(Wave &W);
  void setUserRegisters(Wave &W);
  void setTrapTemporaries(Wave &W) const;

  const LaunchPlan &Plan;
  ThreadContext &Thread;
  unsigned FirstScratchSlot;
  std::unique_ptr<uint32_t[]> Registers;
  uint32_t *AlignedRegisters = nullptr;
  std::vector<uint32_t> Lds;
  SplitBarrier Split;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_WORKGROUP_H
