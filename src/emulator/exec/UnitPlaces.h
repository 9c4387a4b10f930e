// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compute units a dispatch may use, and which of their places its
// workgroups have. Units differ in nothing but in what the registers say that
// name places, so nothing else depends on this.
#ifndef LUTHIER_EMULATOR_EXEC_UNITPLACES_H
#define LUTHIER_EMULATOR_EXEC_UNITPLACES_H

#include "emulator/core/Target.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace luthier::emulator {

/// A compute unit, or a whole pair where a workgroup gets both.
struct ComputeUnit {
  unsigned Engine = 0;
  /// Within the engine, of the unit or of its pair.
  unsigned Number = 0;
  /// Which one of the pair.
  unsigned Half = 0;
};

/// Those of \p Count units that are in \p Mask, in which bits stand for units
/// as for Linux's driver (mqd_symmetrically_map_cu_mask()): engine after
/// engine, where there are pairs by two bits. All of them if it is empty. In
/// the order in which workgroups are spread: all engines first, then all pairs.
std::vector<ComputeUnit> computeUnits(const Target &T, unsigned Count,
                                      unsigned Engines, bool WholePairs,
                                      std::span<const uint32_t> Mask);

/// Where workgroups are at the moment. Thread-safe.
class UnitPlaces {
public:
  struct Place {
    size_t Unit = 0;
    unsigned Number = 0;
  };

  /// \p PerUnit is 64 at most.
  UnitPlaces(size_t NumUnits, unsigned PerUnit);

  /// One workgroup after the other is for one unit after the other, which makes
  /// places repeatable; a unit without room is left out. There has to be room.
  Place take(uint64_t Workgroup);
  void leave(Place P);

private:
  const uint64_t AllTaken;
  /// A bit for each place, by unit.
  std::vector<std::atomic<uint64_t>> Taken;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_UNITPLACES_H
