// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/StackAccess.h"

using namespace llvm;

namespace luthier {

std::optional<StackAccess>
StackAccess::withoutRegister(const StackPlan &Stack, const MemoryTraits &Traits,
                             MCRegister Any) {
  const unsigned Last = Stack.Base + StackPlan::Counters - 1;
  if (Traits.ScratchReach)
    return Last <= Traits.ScratchReach ? std::optional(StackAccess())
                                       : std::nullopt;
  if (Last >= CallSiteCode::ScalarReach)
    return std::nullopt;
  return StackAccess(Kind::Exchanged, Any);
}

void StackAccess::begin(CallSiteCode &Code, const StackPlan &Stack) const {
  if (K == Kind::Offset)
    return;
  if (K == Kind::Exchanged)
    Code.storeScalar(Address, Stack.Base + StackPlan::Address);
  Code.set(Address, Stack.Base);
  Code.awaitALU();
}

void StackAccess::end(CallSiteCode &Code, const StackPlan &Stack) const {
  if (K == Kind::Exchanged)
    Code.loadScalar(Address, Stack.Base + StackPlan::Address);
}

void StackAccess::store(CallSiteCode &Code, const StackPlan &Stack,
                        MCRegister Vector, unsigned Slot) const {
  Code.store(Vector, Address, offsetOf(Stack, Slot));
}

void StackAccess::load(CallSiteCode &Code, const StackPlan &Stack,
                       MCRegister Vector, unsigned Slot) const {
  Code.load(Vector, Address, offsetOf(Stack, Slot));
}

} // namespace luthier
