// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/HookInserter.h"
#include "rewrite/emit/CallSiteEmitter.h"

using namespace llvm;

namespace luthier {

void HookInserter::insert(const InsertionPoint &Where,
                          amdgpu::CodeLayout &Layout) {
  auto It = Plan.CallSites.find(Where.key());
  if (It == Plan.CallSites.end())
    return;
  for (const PlannedCallSite &Planned : It->second) {
    const size_t Begin = emitCallSite(Plan, Planned, Encoder, Layout);
    const Payload &P = Plan.Payloads[Planned.Site->Variant];
    // A hook that does nothing may leave nothing at all to be found.
    if (!P.Code.empty())
      Copies.push_back({Begin, &P});
  }
}

RegisterUse HookInserter::registers() const {
  RegisterUse Saved;
  // A free register that keeps scalars is among them, which no payload need
  // use itself.
  for (const auto &[Where, Planned] : Plan.CallSites)
    for (const PlannedCallSite &Site : Planned)
      for (unsigned N : Site.Spills.Vectors)
        Saved.VGPRs = std::max(Saved.VGPRs, N + 1);
  return registersOf(Plan.Registers, Plan.Payloads, Saved);
}

std::vector<PlacedPayload> HookInserter::placed(const WrittenCode &Code) const {
  std::vector<PlacedPayload> Result;
  for (const Copy &C : Copies)
    Result.push_back({Code.offsetOf(C.LayoutOffset), C.Copied});
  return Result;
}

} // namespace luthier
