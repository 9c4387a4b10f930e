// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/HookInserter.h"
#include "rewrite/emit/CallSiteEmitter.h"

using namespace llvm;

namespace luthier {

/// \returns the offset of the copy.
size_t HookInserter::emit(const PlannedCallSite &Planned,
                          amdgpu::CodeLayout &Layout) {
  const size_t Begin = Layout.size();
  if (!Planned.Site->Literals.empty())
    return emitCallSite(Plan, Planned, Encoder, Layout);
  if (auto It = Known.find(Planned.Spills); It != Known.end()) {
    Layout.append(It->second.Code);
    return Begin + It->second.Payload;
  }
  const size_t Payload = emitCallSite(Plan, Planned, Encoder, Layout);
  if (auto Code = Layout.movableFrom(Begin))
    Known.insert({Planned.Spills, {Code->vec(), Payload - Begin}});
  return Payload;
}

void HookInserter::insert(const InsertionPoint &Where,
                          amdgpu::CodeLayout &Layout) {
  auto It = Plan.CallSites.find(Where.key());
  if (It == Plan.CallSites.end())
    return;
  for (const PlannedCallSite &Planned : It->second) {
    const size_t Begin = emit(Planned, Layout);
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
      for (unsigned N : Site.Spills->Vectors)
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
