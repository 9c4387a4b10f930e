// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code around a payload at one point: saves what the payload clobbers and the
// application still needs, fetches arguments, restores. For a payload that
// clobbers SCC and VCC where both are live, with one argument from v5:
//   s_waitcnt vmcnt(1)             the last load but one may be into v5
//   s_cselect_b32 s46, 1, 0        SCC cannot be copied
//   s_mov_b64 s[42:43], vcc
//   v_mov_b32 v64, v5
//   <payload>
//   s_mov_b64 vcc, s[42:43]
//   s_cmp_lg_u32 s46, 0
// Where registers are borrowed, those that are live go to lanes of the state
// register (scalars) and to the instrumentation stack (vectors) first, and come
// back last; see PointSaves.h.
#ifndef LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H
#define LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H

#include "amdgpu/MachineEncoder.h"
#include "analysis/KernelFacts.h"
#include "analysis/RegisterSet.h"
#include "hook/Payload.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/CallSiteSpills.h"
#include "rewrite/plan/RegisterPlan.h"
#include "rewrite/plan/VariantPlan.h"

namespace luthier {

class PointWriter {
public:
  PointWriter(amdgpu::MachineEncoder &Encoder, const SeamTraits &Waits,
              const FramePlan &Plan, llvm::ArrayRef<Payload> Payloads,
              KernelHazards Hazards)
      : Encoder(Encoder), Waits(Waits), Plan(Plan), Payloads(Payloads),
        Hazards(Hazards) {}

  /// Stack slots that \p Point takes. Refuses with RegisterBudget what cannot
  /// be saved.
  llvm::Expected<PointSaves> plan(const PlannedPoint &Point,
                                  const RegisterSet &Live) const;
  /// Returns the layout's size where the payload begins.
  size_t write(const PlannedPoint &Point, const PointSaves &Saves,
               amdgpu::CodeLayout &Layout) const;

private:
  amdgpu::MachineEncoder &Encoder;
  const SeamTraits &Waits;
  const FramePlan &Plan;
  llvm::ArrayRef<Payload> Payloads;
  KernelHazards Hazards;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H
