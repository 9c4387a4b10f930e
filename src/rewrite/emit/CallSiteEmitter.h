// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code around a payload at one call site: saves what the payload clobbers and
// the application still needs, fetches arguments, restores. For a payload that
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
// back last; see CallSiteSpills.h.
#ifndef LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H
#define LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H

#include "amdgpu/MachineEncoder.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/HookPlan.h"

namespace luthier {

/// Returns the layout's size where the payload begins.
size_t emitCallSite(const HookPlan &Plan, const PlannedCallSite &Site,
                    amdgpu::MachineEncoder &Encoder,
                    amdgpu::CodeLayout &Layout);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_CALLSITEEMITTER_H
