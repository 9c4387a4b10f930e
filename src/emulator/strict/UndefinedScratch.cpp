// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers keep registers in scratch and take them back. That makes nobody a
// writer of a lane, nor is a stray value any better for it: each byte in
// scratch is marked with what the lane was that stored it.
#include "emulator/isa/AddressMode.h"
#include "emulator/strict/UndefinedTracker.h"
#include <algorithm>
#include <vector>

namespace luthier::emulator::strict {

/// Active lanes that access scratch.
uint64_t UndefinedTracker::scratchLanes(const Step &X) const {
  const Inst &I = X.I;
  if (X.Facts.Form == Shape::Buffer) {
    // Word 1 has the upper bits of the base.
    const uint32_t *Words = &X.W.S[I.Src[1].Reg];
    return Space.isScratch(Words[0] | uint64_t(Words[1] & 0xffff) << 32)
               ? X.Exec
               : 0;
  }
  if (X.Facts.Form != Shape::Flat || I.AddressMode == address::Global)
    return 0;
  if (I.AddressMode == address::Scratch)
    return X.Exec;
  uint64_t Lanes = 0;
  const uint32_t *High = X.W.vgpr(I.Src[0].Reg) + NumLanes;
  for (unsigned L = 0; L != NumLanes; ++L)
    Lanes |= uint64_t(High[L] == uint32_t(ScratchApertureBase >> 32)) << L;
  return Lanes & X.Exec;
}

UndefinedTracker::Kept UndefinedTracker::followScratch(const Step &X) {
  // The same for each byte, since accesses may be narrower.
  constexpr uint32_t StrayMark = 0x01010101, UnwrittenMark = 0x02020202;
  const bool IsStore = X.Facts.Stores;
  if (X.W.Event == WaveEvent::Fault)
    return {};
  const Operand &Data =
      IsStore && X.Facts.Form == Shape::Flat ? X.I.Src[1] : X.I.Dst;
  const unsigned First = Data.Reg,
                 End = First + std::max<unsigned>(Data.NumRegs, 1);
  WaveShadow &S = X.S;
  uint64_t New = 0;
  for (unsigned Reg = First; Reg != End; ++Reg)
    New |= (S.Stray[Reg] | S.Unwritten[Reg]) & S.Lanes[Reg];
  if (!Marks && !(IsStore && (New & X.Exec)))
    return {};
  const uint64_t Lanes = scratchLanes(X);
  if (!Lanes)
    return {};
  if (!Marks) {
    Marks.emplace(*Plan.Memory, *Plan.D, 0);
    MarksThread.emplace(*Marks, *Thread->Code);
  }

  // The operation's own handler moves the marks, in the rows of its data.
  uint32_t *Rows = S.row(First);
  const std::vector<uint32_t> Saved(Rows, Rows + (End - First) * NumLanes);
  for (unsigned Reg = First; Reg != End; ++Reg)
    for (unsigned L = 0; L != NumLanes; ++L) {
      const uint64_t Lane = uint64_t(IsStore) << L;
      S.row(Reg)[L] =
          (S.Stray[Reg] & S.Lanes[Reg] & Lane ? StrayMark : 0) |
          (S.Unwritten[Reg] & S.Lanes[Reg] & Lane ? UnwrittenMark : 0);
    }
  Inst Copy = X.I;
  redirect(X, Copy, addressOperands(X.Facts.Form));
  S.Plane.Thread = &*MarksThread;
  S.Plane.setS64(sreg::Exec, Lanes);
  executeOnPlane(X, X.Fn, Copy);
  S.Plane.setS64(sreg::Exec, X.Exec);
  S.Plane.Thread = &*Thread;
  Kept Loaded;
  for (unsigned N = 0; !IsStore && N != Saved.size(); ++N) {
    Loaded.Stray |= uint64_t((Rows[N] & StrayMark) != 0) << N % NumLanes;
    Loaded.Unwritten |= uint64_t((Rows[N] & UnwrittenMark) != 0)
                        << N % NumLanes;
  }
  std::copy(Saved.begin(), Saved.end(), Rows);
  return Loaded;
}

} // namespace luthier::emulator::strict
