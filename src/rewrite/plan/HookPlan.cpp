// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/HookPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"

using namespace llvm;

namespace luthier {

RegisterSet HookPlan::readsOf(const CallSite &Site) const {
  RegisterSet Result;
  for (const ArgumentMove &Move : Site.Moves)
    Result.add(Move.From);
  const Payload &P = Payloads[Site.Variant];
  for (MCRegister Reg : P.Reads)
    Result.add(Reg);
  if (P.UsesSCC)
    Result.add(RegisterSet::SCC);
  if (P.UsesVCC)
    Result.add(MCRegister(AMDGPU::VCC));
  if (P.UsesM0)
    Result.add(RegisterSet::M0);
  return Result;
}

} // namespace luthier
