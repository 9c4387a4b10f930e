// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a kernel's code hooks do not see, said to people.
#ifndef LUTHIER_ANALYSIS_UNHOOKEDCODE_H
#define LUTHIER_ANALYSIS_UNHOOKEDCODE_H

#include <string>

namespace luthier {
class LiftedRepresentation;

/// "reaches code through pointers at ...", or nothing if hooks see all
/// functions of the same code object whose address is taken.
std::string describeUnhookedCode(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_UNHOOKEDCODE_H
