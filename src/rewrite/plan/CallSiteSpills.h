// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run of a payload overwrites that the application still needs, and
// where it is meanwhile.
#ifndef LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H
#define LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H

#include "analysis/KernelFacts.h"
#include "analysis/RegisterSet.h"
#include "hook/Payload.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/RegisterPlan.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier {

struct PointSaves {
  /// Flags that go through the frame's copies.
  bool SCC = false, VCC = false, EXEC = false, M0 = false, MODE = false;
  /// The payload reads or writes the state register, or scalars go there.
  StateStorage::Use State;
  bool WorkItemIds = false; ///< Have to be loaded.

  /// Application registers, by number. Scalars: the first ones in lanes of the
  /// state register, as scalarLane() says, the rest in lanes of the first of
  /// Vectors, once that is on the stack.
  llvm::SmallVector<unsigned, 8> Scalars, Vectors;
  /// A vector operation has to follow the payload's v_cmpx (Permutes in
  /// KernelHazards); it writes the copy of EXEC.
  bool TouchesVectors = false;
  /// Any is overwritten, live or not.
  bool Borrows = false;
  /// Registers of the application that the code around the payload reads or
  /// overwrites, or the payload does: a load may be in flight to one.
  RegisterSet Touched;
  /// What has to be waited for because of that; filled in by whoever knows.
  WaitCounts Waits;

  /// Vectors with a slot, for all lanes.
  bool hasVectors() const { return !Vectors.empty(); }
};

/// Lanes of the state register that scalars can be put aside in.
unsigned scalarLaneCount(unsigned WaveSize);
unsigned scalarLane(unsigned N);

/// Refuses with RegisterBudget what cannot be put aside.
llvm::Expected<PointSaves>
planSaves(const amdgpu::MCTarget &Target, const SeamTraits &Traits,
          const FramePlan &Plan, const KernelHazards &Hazards, const Payload &P,
          const PlannedPoint &Point, const RegisterSet &Live);

/// Puts the scalars aside that the frame's own registers overwrite; needs
/// nothing but the state register. And back, last of all.
void saveScalars(SeamCode &Code, const FramePlan &Plan, const PointSaves &S);
void restoreScalars(SeamCode &Code, const FramePlan &Plan, const PointSaves &S);
/// The rest, with EXEC = all lanes; overwrites the frame's stack pointer.
void saveVectors(SeamCode &Code, const FramePlan &Plan, const PointSaves &S);
void restoreVectors(SeamCode &Code, const FramePlan &Plan, const PointSaves &S);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H
