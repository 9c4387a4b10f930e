// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UnhookedCode.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace luthier {

std::string describeUnhookedCode(const LiftedRepresentation &LR) {
  const ControlTransfer *First = nullptr;
  unsigned Count = 0;
  for (const ControlTransfer &Transfer : LR.controlTransfers())
    if (Transfer.isUnresolved() && Count++ == 0)
      First = &Transfer;
  if (!First)
    return "";
  return ("reaches code through pointers at " + Twine(Count) +
          " place(s), the first at 0x" +
          Twine::utohexstr(LR.originalAddress(*First->MI).value_or(0)) +
          ": that code runs without hooks")
      .str();
}

} // namespace luthier
