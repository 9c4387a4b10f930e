// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites, at every point where code may be inserted, what the analyses call
// free there with seeded garbage: a kernel that still computes the same shows
// that they are right. No hook and no compiler are involved, so that this works
// for every kernel that can be lifted and written; where there are hooks, the
// garbage comes before them.
//
// Registers are those that the code names and some above, as many as hooks
// would take. At one place in a divergent block of a wave64 kernel, where v7 is
// not needed any more and s[4:5] are free:
//   s_nop 4                         results on their way
//   s_mov_b64 s[4:5], exec
//   s_mov_b64 exec, -1              dead is dead in all lanes
//   v_mov_b32 v7, 0x8812c4f1
//   s_mov_b64 exec, s[4:5]
//   s_mov_b32 s4, 0x1c23aa01
//   s_mov_b32 s5, 0x3b2f90aa
//   s_cmp_eq_u32 0, 0               SCC
//   s_nop 4
#ifndef LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H
#define LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H

#include "amdgpu/MachineEncoder.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/emit/Inserter.h"
#include "rewrite/plan/HookPlan.h"
#include "rewrite/selftest/ScramblePlan.h"
#include "rewrite/selftest/SelfTest.h"
#include <random>

namespace luthier {

class RegisterScrambler : public Inserter {
public:
  /// Leaves alone what \p Hooks keep or name. Without any call of a hook, a few
  /// registers that \p Policy allows are scrambled besides those that the code
  /// uses. \p Facts, about \p LR, must live on.
  RegisterScrambler(const LiftedRepresentation &LR, const HookPlan &Hooks,
                    amdgpu::MachineEncoder &Encoder, RegisterPolicy Policy,
                    const SelfTestOptions &Options, SharedFacts &Facts);

  /// Appends nothing where nothing may stand or nothing is free.
  void insert(const InsertionPoint &Where, amdgpu::CodeLayout &Layout) override;
  RegisterUse registers() const override { return Ends; }

  /// Points at which anything was overwritten.
  unsigned points() const { return Points; }

private:
  RegisterSet vectors(const ScramblePoint &Point, CallSiteCode &Code);
  void vector(unsigned Unit, CallSiteCode &Code);
  void oneLane(unsigned Unit, CallSiteCode &Code);
  void scalars(const RegisterSet &Units, CallSiteCode &Code);
  int32_t garbage() { return int32_t(Random()); }

  amdgpu::MachineEncoder &Encoder;
  const unsigned WaveSize;
  /// The kernel may have matrix operations under way.
  const bool AwaitsMatrixOps;
  RegisterUse Ends;
  std::mt19937 Random;
  std::optional<ScramblePlan> Plan;
  unsigned Points = 0;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_REGISTERSCRAMBLER_H
