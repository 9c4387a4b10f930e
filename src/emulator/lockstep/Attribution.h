// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose garbage it is. Some programs read registers that nobody wrote:
// compilers keep values that they think undefined. What hooks make of those,
// and which way such a program goes, is no mistake of the tool's. Found out by
// comparing once more, with the same garbage wherever the original itself reads
// it: what still depends on garbage does so through the tool.
#ifndef LUTHIER_EMULATOR_LOCKSTEP_ATTRIBUTION_H
#define LUTHIER_EMULATOR_LOCKSTEP_ATTRIBUTION_H

#include "emulator/lockstep/Lockstep.h"
#include <functional>

namespace luthier::emulator::lockstep {

/// \p Run compares once, from the beginning, under the options it is given.
/// Garbage of the original's makes no difference but a note.
Result runAttributed(const Options &O,
                     const std::function<Result(const Options &)> &Run);

} // namespace luthier::emulator::lockstep

#endif // LUTHIER_EMULATOR_LOCKSTEP_ATTRIBUTION_H
