// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user set for all instrumentation in this process.
#ifndef LUTHIER_RUNTIME_SETTINGS_H
#define LUTHIER_RUNTIME_SETTINGS_H

#include "rewrite/Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <chrono>
#include <optional>

namespace luthier::runtime {

/// From LUTHIER_REGISTERS (grow, keep-occupancy, no-grow) and
/// LUTHIER_STATE_STORAGE (vgpr, agpr, two-agprs, agpr-3sgprs, spilled-3sgprs,
/// spilled-1sgpr), and LUTHIER_BENCH_SAVE_ALL=1, which is for benchmarks
/// (InstrumenterOptions::SavesAll). \p Warn hears of values that mean nothing;
/// the default stands in for them.
InstrumenterOptions parseSettings(
    llvm::function_ref<std::optional<llvm::StringRef>(const char *)> Variable,
    llvm::function_ref<void(const llvm::Twine &)> Warn);

/// Such as "two-agprs".
llvm::StringRef nameOf(StateValueArrayForm Form);

/// Seconds that \p Variable of the environment sets, or \p Default.
std::chrono::seconds secondsFrom(const char *Variable, unsigned Default);

/// Those of the environment, read at the first call.
const InstrumenterOptions &settings();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_SETTINGS_H
