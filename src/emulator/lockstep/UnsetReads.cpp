// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/UnsetReads.h"
#include "emulator/strict/InstFacts.h"

namespace luthier::emulator::lockstep {

using strict::InstFacts;
using strict::Shape;
using strict::Span;

/// Whether register \p Reg has a bit set in one of \p Lanes.
static bool hasBits(const Wave &Bits, unsigned Reg, uint64_t Lanes) {
  const uint32_t *Row = Bits.V + size_t(Reg) * NumLanes;
  for (unsigned L = 0; L != Bits.WaveSize; ++L)
    if (Row[L] && (Lanes >> L & 1))
      return true;
  return false;
}

void UnsetReads::before(const Wave &A, const Inst &I, const Trace &T,
                        const Wave &Uninitialised) {
  const InstFacts &Facts = InstFacts::of(*A.T, I);
  const bool ReadsAll = Facts.CrossesLanes || Facts.IgnoresExec;
  const uint64_t Lanes = ReadsAll ? ~uint64_t(0) : A.exec();
  for (const Span &S : Facts.VectorReads)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg)
      if (!All.Vectors[Reg] && hasBits(Uninitialised, Reg, Lanes))
        All.Vectors.set(Reg);
  for (const Span &S : Facts.ScalarReads)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg)
      // What an instruction has computed is another value than the launch's.
      if (Uninitialised.S[Reg] && !T.ScalarWriter[Reg])
        All.Scalars.set(Reg);
}

void UnsetReads::after(const Wave &A, const Inst &I,
                       const Wave &Uninitialised) {
  const InstFacts &Facts = InstFacts::of(*A.T, I);
  const bool MayReadLds = Facts.Form == Shape::Lds || Facts.Form == Shape::Flat;
  if (!Facts.ReadsLdsDirect && !(MayReadLds && Facts.Loads))
    return;
  for (const Span &S : Facts.VectorWrites)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg)
      if (hasBits(Uninitialised, Reg, A.exec()))
        All.LdsBytes = A.LdsSize;
}

} // namespace luthier::emulator::lockstep
