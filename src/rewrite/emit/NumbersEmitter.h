// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that computes the numbers that waves keep where LateNumbers.h says.
#ifndef LUTHIER_REWRITE_EMIT_NUMBERSEMITTER_H
#define LUTHIER_REWRITE_EMIT_NUMBERSEMITTER_H

#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/HookPlan.h"

namespace luthier {

/// At \p Hooks.Late. In registers that serve the code around payloads, and in
/// the numbers' own, where the prologue has put what is in none of the
/// kernel's.
void emitNumbers(const HookPlan &Hooks, CallSiteCode &Code);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_NUMBERSEMITTER_H
