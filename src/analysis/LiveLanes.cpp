// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LiveLanes.h"

namespace luthier {

static const RegisterSet &vectors() {
  static const RegisterSet Vectors = RegisterSet::allVectors();
  return Vectors;
}

/// Lanes that were inactive at the entry may be active.
static bool reachesOutside(ExecSet Exec) {
  return Exec == ExecSet::All || Exec == ExecSet::Any;
}

LiveLanes LiveLanes::everything() {
  return {RegisterSet::all(), vectors(), vectors()};
}

void LiveLanes::restrictTo(ExecSet Exec) {
  if (Exec == ExecSet::Entry || Exec == ExecSet::All)
    Inactive = {};
  if (Exec == ExecSet::All)
    Outside = {};
}

void LiveLanes::crossExecChange(ExecChange Change, ExecSet Before,
                                ExecSet After) {
  restrictTo(After);
  const RegisterSet Scalars = Active - vectors();
  const RegisterSet A = Active & vectors();
  const RegisterSet None, Reached = reachesOutside(After) ? A : None;
  // Where each kind of lane can be afterwards: lanes of the entry's mask never
  // count as outside, others never as inactive.
  RegisterSet FromActive = A | Inactive, FromActiveOutside = Reached | Outside;
  RegisterSet FromInactive = A | Inactive, FromOutside = Reached | Outside;
  switch (Change) {
  case ExecChange::None:
  case ExecChange::Unknown:
    break;
  case ExecChange::Shrinks:
    FromInactive = Inactive;
    FromOutside = Outside;
    break;
  case ExecChange::Grows:
    FromActive = FromActiveOutside = A;
    break;
  case ExecChange::All:
    FromActive = FromActiveOutside = FromInactive = FromOutside = A;
    break;
  case ExecChange::Nothing:
    FromActive = FromInactive = Inactive;
    FromActiveOutside = FromOutside = Outside;
    break;
  case ExecChange::Inverts:
    FromActive = Inactive;
    FromActiveOutside = Outside;
    FromInactive = FromOutside = A;
    break;
  }
  Active = Scalars | FromActive;
  if (reachesOutside(Before))
    Active |= FromActiveOutside;
  Inactive = FromInactive;
  Outside = FromOutside;
  restrictTo(Before);
}

void LiveLanes::crossWrites(const InstructionEffects &Effects) {
  for (const RegisterEffect &Effect : Effects.Registers)
    if (Effect.Access == RegisterAccess::Overwrite)
      Active.remove(Effect.Units);
}

void LiveLanes::crossReads(const InstructionEffects &Effects) {
  for (const RegisterEffect &Effect : Effects.Registers) {
    if (InstructionEffects::isWrite(Effect))
      continue;
    Active.add(Effect.Units);
    if (Effect.Access == RegisterAccess::ReadInAnyLane &&
        Effect.Units.First >= RegisterSet::FirstVGPR) {
      Inactive.add(Effect.Units);
      Outside.add(Effect.Units);
    }
  }
}

void LiveLanes::cross(const InstructionEffects &Effects, ExecSet Before,
                      ExecSet After) {
  if (Effects.ReadsEverything) {
    *this = everything();
    return;
  }
  crossWrites(Effects);
  if (Effects.Exec != ExecChange::None)
    crossExecChange(Effects.Exec, Before, After);
  crossReads(Effects);
  restrictTo(Before);
}

} // namespace luthier
