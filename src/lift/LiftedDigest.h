// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two lifted kernels are the same, without having both: a tool may have
// edited one, or another process may have lifted the other.
#ifndef LUTHIER_LIFT_LIFTEDDIGEST_H
#define LUTHIER_LIFT_LIFTEDDIGEST_H

#include "luthier/LiftedRepresentation.h"
#include <array>
#include <cstdint>

namespace luthier {

using Digest = std::array<uint64_t, 2>;

/// Of all that becomes code: functions, blocks and what follows them,
/// instructions with their operands and places in the original. The same in
/// every process that lifts the same code object; nothing else about that is
/// in it.
Digest digestOf(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_LIFT_LIFTEDDIGEST_H
