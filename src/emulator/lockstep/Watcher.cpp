// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/Watcher.h"
#include "SIDefines.h"
#include "emulator/exec/Workgroup.h"
#include "emulator/isa/AddressMode.h"

namespace luthier::emulator::lockstep {

void Watcher::workgroupStarted(Workgroup &Group) {
  for (const Wave &W : Group.Waves) {
    Trace &T = Traces[&W] = Trace();
    T.Vectors.set();
    T.Lds = true;
  }
  if (Inner)
    Inner->workgroupStarted(Group);
}

void Watcher::workgroupEnded(Workgroup &Group) {
  if (Inner)
    Inner->workgroupEnded(Group);
}

/// Where a flat or global store or atomic goes, in active lanes.
static void noteStore(Trace &T, Wave &W, const Inst &I) {
  const Operand &Vector = I.Src[0], &Scalar = I.Src[2];
  if (I.AddressMode == address::Scratch || Vector.Kind != Source::Vgpr)
    return;
  T.StoreBytes = std::max<unsigned>(I.Src[1].NumRegs, 1) * 4;
  const uint32_t *Low = W.vgpr(Vector.Reg), *High = Low + NumLanes;
  const bool HasBase = Scalar.Kind == Source::Sgpr;
  for (unsigned L = 0; L != W.WaveSize; ++L) {
    if (!(W.exec() >> L & 1))
      continue;
    uint64_t Base = HasBase ? W.s64(Scalar.Reg) : uint64_t(High[L]) << 32;
    T.StoreAddresses.push_back(Base + Low[L] + uint64_t(int64_t(I.Offset)));
  }
}

void Watcher::execute(Wave &W, const Inst &I, Handler Fn) {
  namespace flags = llvm::SIInstrFlags;
  if (Before)
    Before(W, I);
  const InstInfo &Info = *I.Info;
  Trace &T = trace(W);
  const uint64_t PC = W.PC - I.Dwords * 4u;
  T.Last = &Info;
  T.StoreAddresses.clear();
  if (Info.MayStore && (Info.Flags & flags::FLAT))
    noteStore(T, W, I);
  // Anything that writes memory may write LDS, or fill it from memory.
  if ((Info.MayStore || Info.MayLoad) &&
      (Info.Flags & (flags::DS | flags::FLAT | flags::MUBUF)))
    T.Lds = true;
  auto NoteVector = [&](unsigned First, unsigned Count) {
    for (unsigned N = First; N != First + Count && N < NumVectorRegs; ++N) {
      T.Vectors.set(N);
      T.VectorWriter[N] = PC;
    }
  };
  for (const RegisterRange &R : Info.Writes) {
    if (R.File == RegisterFile::Vector)
      NoteVector(R.First, R.Count);
    else
      for (unsigned N = R.First; N != R.First + R.Count && N < 256; ++N)
        T.ScalarWriter[N] = PC;
  }
  // Relative and indexed writes: the operand as it is executed tells.
  if (I.Dst.Kind == Source::Vgpr)
    NoteVector(I.Dst.Reg, std::max<unsigned>(I.Dst.NumRegs, 1));
  if (Inner)
    Inner->execute(W, I, Fn);
  else
    Fn(W, I);
  if (After)
    After(W, I);
}

} // namespace luthier::emulator::lockstep
