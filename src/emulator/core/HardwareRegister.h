// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What s_getreg and s_setreg name by number. Numbers mean different registers
// on different targets.
#ifndef LUTHIER_EMULATOR_CORE_HARDWAREREGISTER_H
#define LUTHIER_EMULATOR_CORE_HARDWAREREGISTER_H

#include <array>
#include <cstdint>

namespace luthier::emulator {

enum class HardwareRegister : uint8_t {
  None,        ///< The target has no register of this number.
  NotEmulated, ///< It has one, which says nothing here.
  Mode,
  Status,
  /// Since generation 12, which keeps SCC in StatePriv.
  WaveStatus,
  StatePriv,
  TrapStatus,
  ExceptionsPriv,
  ExceptionsUser,
  TrapControl,
  /// Address of the trap handler (TBA) and of its memory (TMA).
  TrapAddress,
  /// Where the wave runs, in the fields of generation 9 and since 10.
  HwId,
  HwId1,
  HwId2,
  XccId,
  /// Registers the wave has, in the fields of generation 9 and since 10.
  GprAlloc,
  WaveGprAlloc,
  LdsAlloc,
  IbStatus,
  IbStatus2,
  MemoryBases,
  /// The kernel writes them.
  FlatScratchLow,
  FlatScratchHigh,
  /// The launch has written them.
  ScratchBaseLow,
  ScratchBaseHigh,
  SchedulingMode,
  /// Of 20 bits.
  ShaderCycles,
  ShaderCyclesLow,
  ShaderCyclesHigh,
  DynamicVgprs,
};

/// By number.
using HardwareRegisters = std::array<HardwareRegister, 64>;

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_HARDWAREREGISTER_H
