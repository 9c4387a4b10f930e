// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UnhookedCode.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace luthier {

/// Of functions; jumps go to places that no symbol names.
static std::string reasonFor(UnfollowedPointers Unfollowed) {
  switch (Unfollowed) {
  case UnfollowedPointers::None:
    return "";
  case UnfollowedPointers::NoFunction:
    return ", as no function has its address taken";
  case UnfollowedPointers::TooMany:
    return ", as more than " + std::to_string(MostAddressTaken) +
           " functions have their addresses taken";
  case UnfollowedPointers::NotLifted:
    return ", as no function can be lifted whose address is taken";
  }
  llvm_unreachable("every reason has a text");
}

/// Calls and jumps that never come to code with hooks.
static std::string describeUnfollowed(const LiftedRepresentation &LR) {
  const ControlTransfer *First = nullptr;
  unsigned Count = 0;
  for (const ControlTransfer &Transfer : LR.controlTransfers())
    if (Transfer.isUnresolved() && !Transfer.FollowsPointer && Count++ == 0)
      First = &Transfer;
  if (!First)
    return "";
  return ("reaches code through pointers at " + Twine(Count) +
          " place(s), the first at 0x" +
          Twine::utohexstr(LR.originalAddress(*First->MI).value_or(0)) +
          ": that code runs without hooks" + reasonFor(LR.impl().Unfollowed))
      .str();
}

std::string describeUnhookedCode(const LiftedRepresentation &LR) {
  std::string Text = describeUnfollowed(LR);
  const std::string &LeftOut = LR.impl().LeftOut;
  if (!LeftOut.empty())
    Text +=
        (Text.empty() ? "" : "; ") +
        ("functions that pointers may lead to run without hooks: " + LeftOut);
  return Text;
}

} // namespace luthier
