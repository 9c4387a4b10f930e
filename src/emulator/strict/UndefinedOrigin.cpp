// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane accesses to lanes that nobody wrote. Reading one is no mistake, nor is
// computing with it: compilers do both with values that they throw away. To
// store the result is one, if it still depends on what was read.
#include "emulator/strict/LaneAccess.h"
#include "emulator/strict/UndefinedTracker.h"
#include <algorithm>

namespace luthier::emulator::strict {

UndefinedTracker::Origin UndefinedTracker::originOf(const Step &X) const {
  Origin From;
  const Operand &O = X.I.Src[0];
  if (X.Facts.IsLaneRead) {
    if (O.Kind == Source::Vgpr) {
      const uint64_t Lane = uint64_t(1) << accessedLane(X.W, X.I, X.Facts);
      const uint64_t Bad = X.S.Unwritten[O.Reg] | X.S.Stray[O.Reg];
      From.IsScalar = X.S.Lanes[O.Reg] & Bad & Lane;
    }
    return From;
  }
  if (!X.S.AnyStray)
    return From;
  for (Span R : X.Facts.VectorReads)
    for (unsigned N = 0; N != R.Count; ++N)
      From.Lanes |= X.S.Stray[R.First + N] & X.S.Lanes[R.First + N];
  for (Span R : X.Facts.ScalarReads)
    for (unsigned N = 0; N != R.Count; ++N)
      From.IsScalar |=
          X.S.StrayScalars[R.First + N] && X.S.Plane.S[R.First + N];
  return From;
}

void UndefinedTracker::followOrigin(const Step &X, Origin From,
                                    bool ReadsEmpty) {
  WaveShadow &S = X.S;
  if (ReadsEmpty) {
    for (Span R : X.Facts.ScalarWrites)
      std::fill_n(S.Plane.S + R.First, R.Count, ~0u);
    From.IsScalar = true;
  }
  // With shifted operands the facts speak of other registers.
  if (X.Facts.IsRelative || ((X.W.Mode & mode::GprIndexEnable) && X.I.IsValu))
    std::fill(std::begin(S.Unwritten), std::end(S.Unwritten), 0);
  const bool OneLane = X.Facts.IgnoresExec && X.Facts.Form == Shape::Vector;
  const uint64_t Written = OneLane
                               ? uint64_t(1) << accessedLane(X.W, X.I, X.Facts)
                           : X.Facts.IgnoresExec ? X.W.LaneMask
                                                 : X.Exec;
  uint64_t Lanes = From.IsScalar ? ~uint64_t(0) : From.Lanes;
  if (X.Facts.CrossesLanes && Lanes && !OneLane)
    Lanes = ~uint64_t(0);
  S.AnyStray |= Lanes != 0;
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = R.First; N != unsigned(R.First + R.Count); ++N) {
      S.Unwritten[N] &= ~Written;
      if (S.AnyStray)
        S.Stray[N] = (S.Stray[N] & ~Written) | (Lanes & Written & S.Lanes[N]);
    }
  if (!S.AnyStray)
    return;
  for (Span R : X.Facts.ScalarWrites)
    for (unsigned N = R.First; N != unsigned(R.First + R.Count); ++N)
      S.StrayScalars[N] = Lanes && S.Plane.S[N];
}

/// Scratch is where a compiler keeps what it may throw away.
void UndefinedTracker::checkStore(const Step &X) {
  if (!X.S.AnyStray)
    return;
  const Inst &I = X.I;
  const uint64_t Kept = scratchLanes(X);
  const uint64_t Active = X.Exec & ~Kept;
  if (Kept && !Active)
    return;
  auto Check = [&](const Operand &O) {
    const unsigned Count = std::max<unsigned>(O.NumRegs, 1);
    for (unsigned Reg = O.Reg; Reg != O.Reg + Count; ++Reg) {
      if (O.Kind == Source::Sgpr && X.S.StrayScalars[Reg] && X.S.Plane.S[Reg])
        return report(X, Rule::UndefinedStore, RegisterFile::Scalar, Reg, 1);
      const uint64_t Lanes =
          O.Kind == Source::Vgpr ? X.S.Stray[Reg] & X.S.Lanes[Reg] & Active : 0;
      if (Lanes)
        return report(X, Rule::UndefinedStore, RegisterFile::Vector, Reg, 1,
                      Lanes);
    }
  };
  if (X.Facts.Form == Shape::Lds) {
    Check(I.Src[1]);
    Check(I.Src[2]);
  } else {
    Check(X.Facts.Form == Shape::Flat ? I.Src[1] : I.Dst);
  }
}

} // namespace luthier::emulator::strict
