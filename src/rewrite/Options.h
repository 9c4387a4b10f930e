// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller decides about instrumenting one kernel.
#ifndef LUTHIER_REWRITE_OPTIONS_H
#define LUTHIER_REWRITE_OPTIONS_H

#include "analysis/Occupancy.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier {

/// Where the state register is while no payload runs
/// (emit/StateValueArrayStorage.h).
enum class StateForm : uint8_t {
  Vgpr,
  Agpr,
  TwoAgprs,
  AgprAnd3Sgprs,
  SpilledWith3Sgprs,
  SpilledWith1Sgpr,
};

struct InstrumenterOptions {
  /// Unset: the cheapest that fits.
  std::optional<StateForm> Storage;
  RegisterPolicy Policy = RegisterPolicy::Grow;
  /// Bytes per lane of private memory that the packet gives the application,
  /// which may be more than its descriptor asks for.
  uint32_t ApplicationStack = 0;
  /// Bytes of group segment that the packet asks for, likewise.
  uint32_t GroupSegment = 0;
  /// Overwrite, at every point, what the analyses call free.
  bool Poison = false;
  uint64_t PoisonSeed = 0;
  /// About how many registers at one point, chosen by chance, if more are free
  /// that hold values yet; 0 for all.
  uint32_t PoisonMost = 0;
  /// For tests of judges: units of RegisterSet that are overwritten although
  /// the application may need them.
  std::vector<unsigned> PoisonPlanted = {};
  /// What the loader added to the original's addresses: code that asks for its
  /// own position keeps getting the original's.
  uint64_t LoadBias = 0;
  /// Nothing is loaded yet. The result is an OfflineImage, whose code will be
  /// at LinkedAt in one file with the original.
  bool Offline = false;
  uint64_t LinkedAt = 0;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_OPTIONS_H
