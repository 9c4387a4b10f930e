// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bits of a wave's registers are uninitialised. They lie in a second
// wave, so that handlers which only move bits can move those too.
#ifndef LUTHIER_EMULATOR_STRICT_WAVESHADOW_H
#define LUTHIER_EMULATOR_STRICT_WAVESHADOW_H

#include "emulator/exec/Workgroup.h"
#include "emulator/strict/EmptyWrites.h"
#include <bitset>
#include <memory>

namespace luthier::emulator {
struct LaunchPlan;
}

namespace luthier::emulator::strict {

struct WaveShadow {
  /// Rows for operands that are not what the registers hold.
  static constexpr unsigned FirstSpare = NumVectorRegs, NumSpare = 24;
  static constexpr unsigned NumRows = NumVectorRegs + NumSpare;
  /// The same among the scalars; no encoding uses these numbers.
  static constexpr unsigned FirstSpareScalar = 128;

  WaveShadow();
  /// Everything but what the launch sets is uninitialised.
  void start(const Wave &W, const LaunchPlan &Plan,
             const Workgroup::LaunchScalars &Set, ThreadContext &Thread,
             uint8_t *Lds);

  uint32_t *row(unsigned Reg) { return Plane.vgpr(Reg); }
  /// To be called when a row's bits may have changed.
  void refresh(unsigned Reg);
  /// Lanes of \p Mask have their value from now on.
  void define(unsigned Reg, uint64_t Mask);
  void set(unsigned Reg, uint64_t Mask, const uint32_t *Bits);
  void setAll(unsigned Reg, uint64_t Mask, uint32_t Bits);

  /// 1 for uninitialised bits in V and S; EXEC is the real one.
  Wave Plane;
  /// Lanes in which a row has any of them.
  uint64_t Lanes[NumRows] = {};

  /// Lanes that nobody has written since the launch, uninitialised or not.
  uint64_t Unwritten[NumRows] = {};
  /// Where uninitialised bits come from a lane access to such a lane: says
  /// nothing about bits that are initialised.
  uint64_t Stray[NumRows] = {};
  std::bitset<sizeof(Wave::S) / sizeof(uint32_t)> StrayScalars;
  bool AnyStray = false;
  EmptyWrites Empty;

private:
  std::unique_ptr<uint32_t[]> Storage;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_WAVESHADOW_H
