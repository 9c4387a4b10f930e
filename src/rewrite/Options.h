// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller decides about instrumenting one kernel.
#ifndef LUTHIER_REWRITE_OPTIONS_H
#define LUTHIER_REWRITE_OPTIONS_H

#include "analysis/Occupancy.h"
#include "luthier/detail/WorkgroupRange.h"
#include <cstdint>
#include <optional>

namespace luthier {

class HookCompilers;
class PayloadStore;

/// Where the state value array is while no payload runs
/// (emit/StateValueArrayStorage.h).
enum class StateValueArrayForm : uint8_t {
  Vgpr,
  Agpr,
  TwoAgprs,
  AgprAnd3Sgprs,
  SpilledWith3Sgprs,
  SpilledWith1Sgpr,
};

struct InstrumenterOptions {
  /// Unset: the cheapest that fits.
  std::optional<StateValueArrayForm> Storage;
  RegisterPolicy Policy = RegisterPolicy::Grow;
  /// Bytes per lane of private memory that the packet gives the application,
  /// which may be more than its descriptor asks for.
  uint32_t ApplicationStack = 0;
  /// Bytes of group segment that the packet asks for, likewise.
  uint32_t GroupSegment = 0;
  /// What the loader added to the original's addresses: code that asks for its
  /// own position keeps getting the original's.
  uint64_t LoadBias = 0;
  /// Those that hooks are to run in; see InstrumentationTask.
  detail::WorkgroupRange Workgroups;
  /// Nothing is loaded yet. The result is an OfflineImage, whose code will be
  /// at LinkedAt in one file with the original.
  bool Offline = false;
  uint64_t LinkedAt = 0;
  /// Where nothing comes to be inserted or edited, the result only says so
  /// (InstrumentedKernel::IsOriginal), instead of being a copy.
  bool OriginalWillDo = false;
  /// For benchmarks: each call site saves all live registers, as a trampoline
  /// does that knows nothing of what it calls. Hooks with writeReg() do not
  /// work then.
  bool SavesAll = false;
  /// Keeps what is compiled for kernels to come; null: nothing is kept. Nobody
  /// else uses it meanwhile.
  HookCompilers *Compilers = nullptr;
  /// What it has of payloads is not compiled again. Outlives all that is made.
  PayloadStore *Payloads = nullptr;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_OPTIONS_H
