// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics. They move undefined bits like data: the
// operation's own handler does it once more, on the copies of registers and
// memory.
#include "emulator/isa/AddressMode.h"
#include "emulator/strict/UndefinedTracker.h"
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace luthier::emulator::strict {

/// Operands that say where, by shape; the others are data.
unsigned UndefinedTracker::addressOperands(Shape Form) {
  switch (Form) {
  case Shape::Lds:
    return 1;
  case Shape::ScalarMemory:
    return 1 | 2;
  case Shape::Flat:
    return 1 | 4;
  default: // buffers: address, descriptor, offset
    return 1 | 2 | 4;
  }
}

static unsigned numRegs(const Operand &O) {
  return O.Type == ValueType::Wide ? O.NumRegs : isPair(O.Type) ? 2 : 1;
}

void UndefinedTracker::checkAddress(const Step &X) {
  // Without an active lane, nothing is accessed.
  if (X.Facts.Form != Shape::ScalarMemory && !X.Exec)
    return;
  unsigned Operands = addressOperands(X.Facts.Form);
  for (unsigned N = 0; N != 3; ++N) {
    const Operand &O = X.I.Src[N];
    if (!(Operands >> N & 1))
      continue;
    for (unsigned K = 0; K != numRegs(O); ++K) {
      unsigned Reg = O.Reg + K;
      if (O.Kind == Source::Sgpr && X.S.Plane.S[Reg]) {
        report(X, Rule::UndefinedAddress, RegisterFile::Scalar, Reg, 1);
        return;
      }
      uint64_t Lanes = O.Kind == Source::Vgpr ? X.S.Lanes[Reg] & X.Exec : 0;
      if (Lanes) {
        report(X, Rule::UndefinedAddress, RegisterFile::Vector, Reg, 1, Lanes);
        return;
      }
    }
  }
  bool UsesM0 = X.Facts.BypassesRegisters ||
                (X.Facts.Form == Shape::Lds && X.Facts.ReadsM0);
  if (UsesM0 && X.S.Plane.S[sreg::M0])
    report(X, Rule::UndefinedAddress, RegisterFile::Scalar, sreg::M0, 1);
}

/// Lanes that store something uninitialised.
uint64_t UndefinedTracker::undefinedData(const Step &X) const {
  uint64_t Lanes = 0;
  auto Add = [&](const Operand &O) {
    for (unsigned N = 0; N != numRegs(O); ++N) {
      unsigned Reg = O.Reg + N;
      if (O.Kind == Source::Sgpr && X.S.Plane.S[Reg])
        Lanes = ~uint64_t(0);
      if (O.Kind != Source::Vgpr)
        continue;
      uint64_t Candidates = X.S.Lanes[Reg] & X.Exec;
      if (X.Facts.StoredBits == ~0u) {
        Lanes |= Candidates;
        continue;
      }
      for (uint64_t Rest = Candidates; Rest; Rest &= Rest - 1) {
        unsigned L = unsigned(std::countr_zero(Rest));
        if (X.S.row(Reg)[L] & X.Facts.StoredBits)
          Lanes |= uint64_t(1) << L;
      }
    }
  };
  switch (X.Facts.Form) {
  case Shape::Lds:
    Add(X.I.Src[1]);
    Add(X.I.Src[2]);
    break;
  case Shape::Flat:
    Add(X.I.Src[1]);
    break;
  default:
    Add(X.I.Dst);
  }
  return Lanes;
}

/// False when the access cannot meet undefined bits and brings none along.
bool UndefinedTracker::needsShadow(const Step &X, bool DataIsUndefined) const {
  if (MemoryIsDirty || DataIsUndefined || X.Facts.BypassesRegisters)
    return true;
  const Inst &I = X.I;
  switch (X.Facts.Form) {
  case Shape::Lds:
    return true;
  case Shape::ScalarMemory:
    return false;
  case Shape::Buffer: {
    // Word 1 has the upper bits of the base.
    const uint32_t *Words = &X.W.S[I.Src[1].Reg];
    return Space.isScratch(Words[0] | uint64_t(Words[1] & 0xffff) << 32);
  }
  default:
    break;
  }
  if (I.AddressMode != address::Generic)
    return I.AddressMode == address::Scratch;
  const uint32_t *High = X.W.vgpr(I.Src[0].Reg) + NumLanes;
  bool IsSegment = false;
  for (unsigned L = 0; L != NumLanes; ++L) {
    bool InAperture = High[L] == uint32_t(LdsApertureBase >> 32) ||
                      High[L] == uint32_t(ScratchApertureBase >> 32);
    IsSegment |= InAperture && (X.Exec >> L & 1);
  }
  return IsSegment;
}

void UndefinedTracker::executeOnPlane(const Step &X, Handler Fn,
                                      const Inst &Copy) {
  Wave &Plane = X.S.Plane;
  // Handlers find these by themselves.
  const unsigned Implicit[] = {sreg::M0, X.W.T->FlatScratch,
                               X.W.T->FlatScratch + 1};
  uint32_t Undefined[std::size(Implicit)];
  for (unsigned N = 0; N != std::size(Implicit); ++N)
    Undefined[N] = std::exchange(Plane.S[Implicit[N]], X.W.S[Implicit[N]]);
  Fn(Plane, Copy);
  Plane.Event = WaveEvent::None;
  for (unsigned N = 0; N != std::size(Implicit); ++N)
    Plane.S[Implicit[N]] = Undefined[N];
}

/// Calls \p Fn for the copies. With \p MergeData all data registers count as
/// one value.
void UndefinedTracker::accessShadow(const Step &X, Handler Fn, bool MergeData) {
  Inst Copy = X.I;
  redirect(X, Copy, addressOperands(X.Facts.Form));
  if (MergeData) {
    constexpr unsigned Spare =
        WaveShadow::FirstSpare + WaveShadow::NumSpare - 4;
    bool IsBuffer = X.Facts.Form == Shape::Buffer;
    Operand &Data = IsBuffer ? Copy.Dst : Copy.Src[1];
    bool IsLds = X.Facts.Form == Shape::Lds;
    unsigned Width = IsLds ? numRegs(Data) : std::max(1u, numRegs(Data) / 2);
    unsigned Second = IsLds ? Copy.Src[2].Reg : Data.Reg + Width;
    bool HasSecond =
        IsLds ? Copy.Src[2].Kind == Source::Vgpr : X.Facts.HasComparand;
    if (HasSecond) {
      for (unsigned R = 0; R != Width && R != 2; ++R)
        for (unsigned L = 0; L != NumLanes; ++L)
          X.S.row(Spare + R)[L] =
              X.S.row(Data.Reg + R)[L] | X.S.row(Second + R)[L];
      Data.Reg = Spare;
    }
  }
  executeOnPlane(X, Fn, Copy);
  if (MergeData && Copy.Dst.Reg != X.I.Dst.Reg && X.I.Glc)
    for (unsigned R = 0; R != 2; ++R)
      X.S.set(X.I.Dst.Reg + R, X.Exec, X.S.row(Copy.Dst.Reg + R));
  for (Span R : X.Facts.VectorWrites)
    for (unsigned N = 0; N != R.Count; ++N)
      X.S.refresh(R.First + N);
}

void UndefinedTracker::stepMemory(const Step &X) {
  checkAddress(X);
  if (X.W.Event == WaveEvent::Fault)
    return;
  bool HasData = X.Facts.Loads || X.Facts.Stores;
  if (!HasData || (X.Facts.Form == Shape::ScalarMemory && !X.Facts.Stores &&
                   X.I.Src[0].Kind == Source::None))
    return defineResults(X);
  bool DataIsUndefined =
      X.Facts.Stores && !X.Facts.BypassesRegisters && undefinedData(X) != 0;
  if (DataIsUndefined)
    checkStore(X);
  if (!needsShadow(X, DataIsUndefined))
    return defineResults(X);
  if (DataIsUndefined && X.Facts.Form != Shape::Lds)
    MemoryIsDirty = true;
  bool IsUpdate = X.Facts.AtomicOr && !X.Facts.Swaps;
  accessShadow(X, IsUpdate ? X.Facts.AtomicOr : X.Fn, IsUpdate);
}

} // namespace luthier::emulator::strict
