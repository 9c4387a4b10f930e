// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From counts of instructions to a profile by lines of source, with the
// discriminators that tell the blocks of one line apart. Optimisation loses
// lines, so it attributes less than probes do.
#ifndef LUTHIER_PGO_LINEPROFILE_H
#define LUTHIER_PGO_LINEPROFILE_H

#include "pgo/Execution.h"
#include "pgo/SampleFile.h"

namespace luthier::pgo {

/// Whether \p Object says which lines its code comes from.
bool hasLines(const CodeObject &Object);

struct LineProfile {
  SampleProfile Profile{PlaceKind::Lines};
  /// Executions of instructions, in all and of those whose line is known.
  uint64_t Executed = 0, Attributed = 0;
};

/// A line is executed as often as the instruction of it that is executed most
/// often. \p Calls become targets by which compilers turn calls through
/// pointers into direct ones.
llvm::Expected<LineProfile> lineProfile(const CodeObject &Object,
                                        const CodeCounts &Counts, Weight By,
                                        const CallTargets &Calls = {});

} // namespace luthier::pgo

#endif // LUTHIER_PGO_LINEPROFILE_H
