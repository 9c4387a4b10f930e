// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's machine code has, so that a run can say what it has judged.
#ifndef LUTHIER_TEST_RANDOM_FEATURES_H
#define LUTHIER_TEST_RANDOM_FEATURES_H

#include "EmulatedRun.h"
#include <set>
#include <string>

namespace luthier::test {

using Features = std::set<std::string>;

/// Calls or jumps whose target the lifter does not know.
inline constexpr char UnknownCode[] = "code that cannot be found";

/// Of the original, before anything is inserted.
Features featuresOf(const LiftedRepresentation &LR);
/// How it was launched.
Features featuresOf(const KernelLaunch &Launch);
/// Of what the engine made of it.
Features featuresOf(const InstrumentationReport &Report);

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_FEATURES_H
