// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch against the compute unit that is to run it: what its workgroups
// and waves need, and how many of them may be resident.
#ifndef LUTHIER_EMULATOR_EXEC_LAUNCHPLAN_H
#define LUTHIER_EMULATOR_EXEC_LAUNCHPLAN_H

#include "emulator/core/Registers.h"
#include "emulator/core/Target.h"
#include "emulator/exec/Dispatch.h"
#include "emulator/exec/UnitPlaces.h"
#include "emulator/memory/AddressSpace.h"
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace luthier::emulator {

/// What of a launch nobody has set: registers as Wave has them, and so many
/// bytes of LDS.
struct UnsetState {
  std::bitset<NumVectorRegs> Vectors;
  std::bitset<256> Scalars;
  uint32_t LdsBytes = 0;

  bool any() const { return Vectors.any() || Scalars.any() || LdsBytes; }
};

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
  /// The units that run workgroups, or pairs of them, and what one of those
  /// has: room for workgroups, and SIMDs.
  std::vector<ComputeUnit> Units;
  bool HasWholePairs = false;
  unsigned WorkgroupsPerUnit = 0, SimdsPerUnit = 0;
  /// What the launch does not set is the complement of what it is otherwise,
  /// but for Kept.
  bool InvertsGarbage = false;
  UnsetState Kept;
  /// Bytes of a workgroup.
  uint32_t LdsSize = 0;
  /// Of the device; set before init().
  unsigned ComputeUnits = 8, ShaderEngines = 2;
  bool ForgivesLds = false;

private:
  bool initGrid(std::string &Error);
  bool initRegisters(std::string &Error);
  bool initLds(std::string &Error);
  void initMode();
  bool initPreload(const AddressSpace &Memory, std::string &Error);
  bool initResidency(std::string &Error);

  /// Waves that one of the units has registers for.
  unsigned WavesPerUnit = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_LAUNCHPLAN_H
