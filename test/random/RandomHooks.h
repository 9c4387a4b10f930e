// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random kernels are instrumented with. Hooks that find something wrong
// count it.
#ifndef LUTHIER_TEST_RANDOM_RANDOMHOOKS_H
#define LUTHIER_TEST_RANDOM_RANDOMHOOKS_H

#include "EmulatedRun.h"
#include "RandomCase.h"

namespace luthier::test {

TestHooks hooksFor(const RandomCase &Case);
void insertHooks(LiftedRepresentation &LR, InstrumentationTask &Task,
                 const RandomCase &Case);
/// Whether Counters[0] is to be the number of instructions.
inline bool countsInstructions(Way How) {
  return How == Way::Count || How == Way::Blocks || How == Way::Accumulate;
}
/// Where Counters has the number of lanes that saw something wrong.
constexpr unsigned WrongSlot = 8000;
/// Call sites of Way::Scalars, and where Counters says how often a wave came to
/// each.
constexpr unsigned NumScalarSites = 24, FirstSiteSlot = 16;

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMHOOKS_H
