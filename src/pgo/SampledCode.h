// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From counts of the instructions of a program's code to profiles of its
// source, for code that was not compiled to count.
#ifndef LUTHIER_PGO_SAMPLEDCODE_H
#define LUTHIER_PGO_SAMPLEDCODE_H

#include "pgo/CollectFolder.h"
#include "pgo/Execution.h"
#include "pgo/SampleFile.h"
#include <optional>

namespace luthier::pgo {

struct SampleOptions {
  Weight By = Weight::Waves;
  /// Which marks are used; none for probes where there are some, else lines.
  std::optional<PlaceKind> Marks;
};

struct SampledCode {
  /// By target and kind of marks.
  std::map<std::pair<std::string, PlaceKind>, SampleProfile> Profiles;
  /// Of code that was executed, does not count by itself, and has no marks that
  /// say enough: what it lacks, with the name of a kernel.
  std::vector<std::string> Missing;
};

/// Notes that \p What of such kernels is missing, if their code has marks: of
/// other code there would be no profile anyway.
void noteUncounted(const UncountedKernels &Kernels, llvm::StringRef What,
                   Collected &Found);
/// Likewise, that counts are missing that do not fit into counters.
void noteOverflown(const UncountedKernels &Kernels, Collected &Found);

/// Fails if marks cannot be read. What is in \p Executed of code that counts by
/// itself is left out.
llvm::Expected<SampledCode> sampleCode(const Collected &Found,
                                       const ExecutedCode &Executed,
                                       const ExecutedCalls &Calls,
                                       const SampleOptions &Options);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_SAMPLEDCODE_H
