// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instrumented version's descriptor must have of the original's.
#ifndef LUTHIER_TEST_SUPPORT_CARRIEDOVER_H
#define LUTHIER_TEST_SUPPORT_CARRIEDOVER_H

#include "Targets.h"
#include "codeobject/KernelDescriptor.h"

namespace luthier::test {

/// Names what differs and must not; empty if there is nothing. Counts of
/// registers and memory may grow, more launch state may be asked for, and
/// arguments may be loaded instead of preloaded. Everything else says how the
/// application's code is to be run.
std::string notCarriedOver(const EngineTarget &T,
                           const KernelDescriptor &Original,
                           const KernelDescriptor &Instrumented);

} // namespace luthier::test

#endif // LUTHIER_TEST_SUPPORT_CARRIEDOVER_H
