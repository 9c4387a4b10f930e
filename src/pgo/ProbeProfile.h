// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From counts of instructions to a profile by pseudo probes: marks that the
// compiler leaves for blocks of the source's control flow, in sections that are
// not loaded. Blocks with different probes are not merged; otherwise, the code
// is the same as without them.
#ifndef LUTHIER_PGO_PROBEPROFILE_H
#define LUTHIER_PGO_PROBEPROFILE_H

#include "pgo/Execution.h"
#include "pgo/SampleFile.h"

namespace luthier::pgo {

/// Whether \p Object has probes.
bool hasProbes(const CodeObject &Object);

/// Fails if the sections cannot be read. \p Calls become targets by which
/// compilers turn calls through pointers into direct ones, where they are not
/// in inlined code, and the code has line tables.
llvm::Expected<SampleProfile> probeProfile(const CodeObject &Object,
                                           const CodeCounts &Counts, Weight By,
                                           const CallTargets &Calls = {});

/// Of the control flow of each function with probes, inlined ones too, by the
/// hash of its name.
llvm::Expected<std::map<uint64_t, uint64_t>>
probeHashes(const CodeObject &Object);

/// Where probes stand, as linked, in ascending order.
llvm::Expected<std::vector<uint64_t>> probeAddresses(const CodeObject &Object);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_PROBEPROFILE_H
