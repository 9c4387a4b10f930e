// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LUTHIER_COSTS=FILE appends, for people, what instrumentation cost each
// kernel. Where that is also wanted by programs: Timings.h.
#ifndef LUTHIER_RUNTIME_COSTS_H
#define LUTHIER_RUNTIME_COSTS_H

#include "rewrite/Result.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace luthier::runtime {

/// A few lines.
std::string describeCosts(llvm::StringRef Kernel, llvm::StringRef Preset,
                          const InstrumentationReport &Report);

/// "-" as the file name means standard error.
void recordCosts(llvm::StringRef Kernel, llvm::StringRef Preset,
                 const InstrumentationReport &Report);

/// Appends \p Text as a whole to the file that \p Variable names, or to
/// standard error for "-". Nothing if it is not set.
void appendToFileOf(const char *Variable, llvm::StringRef Text);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_COSTS_H
