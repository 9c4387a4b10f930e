// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/PlacedHooks.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

/// The first original instruction from \p MI on, which a tool may have added.
static uint64_t originalFrom(const LiftedRepresentation &LR,
                             const MachineBasicBlock &MBB,
                             MachineBasicBlock::const_iterator MI) {
  for (; MI != MBB.end(); ++MI)
    if (std::optional<uint64_t> Address = LR.originalAddress(*MI))
      return *Address;
  return 0;
}

static uint64_t originalOf(const LiftedRepresentation &LR, const Place &P) {
  switch (P.K) {
  case Place::Kind::Before:
    return originalFrom(LR, *P.MI->getParent(), P.MI->getIterator());
  case Place::Kind::Edge:
    return originalFrom(LR, *P.To, P.To->begin());
  case Place::Kind::Entry:
    return originalFrom(LR, P.MF->front(), P.MF->front().begin());
  }
  llvm_unreachable("every kind of place is handled");
}

std::vector<PlacedHook> placedHooks(const LiftedRepresentation &LR,
                                    const VariantPlan &Plan) {
  std::vector<PlacedHook> Result;
  for (const PlannedPoint &Point : Plan.Points)
    Result.push_back({originalOf(LR, Point.Where),
                      Plan.Variants[Point.Variant].Hook.Function});
  return Result;
}

} // namespace luthier
