// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/Memory.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

uint8_t *privatePointer(Wave &W, U64 Offset, unsigned Lane, unsigned Size) {
  if (Offset + Size > W.ScratchLimit / W.WaveSize) {
    W.fault(ExecutionFault::Kind::MemoryViolation,
            "outside the work-item's scratch", ScratchApertureBase + Offset);
    return nullptr;
  }
  U64 Base = W.s64(W.T->FlatScratch);
  return scratchPointer(W, Base + interleaved(W, Offset, Lane), Size);
}

uint8_t *flatPointer(Wave &W, const Inst &I, U64 Address, unsigned Lane,
                     unsigned Size) {
  if (I.AddressMode == address::Global)
    return globalPointer(W, Address, Size);
  if (I.AddressMode == address::Scratch)
    return privatePointer(W, Address, Lane, Size);
  U32 Aperture = U32(Address >> 32);
  if (Aperture == U32(LdsApertureBase >> 32))
    return ldsPointer(W, U32(Address), Size);
  if (Aperture == U32(ScratchApertureBase >> 32))
    return privatePointer(W, U32(Address), Lane, Size);
  return globalPointer(W, Address, Size);
}

void flatAddresses(Wave &W, const Inst &I, LaneAddresses &Result) {
  const Operand &Vector = I.Src[0], &Scalar = I.Src[2];
  I64 Offset = I.Offset;
  if (I.AddressMode == address::Scratch) {
    U32 Base = U32(Offset);
    if (Scalar.Kind == Source::Sgpr)
      Base += W.S[Scalar.Reg];
    const U32 *V = Vector.Kind == Source::Vgpr ? W.vgpr(Vector.Reg) : nullptr;
    for (unsigned L = 0; L != NumLanes; ++L)
      Result.At[L] = U32(Base + (V ? V[L] : 0));
    return;
  }
  const U32 *Low = W.vgpr(Vector.Reg);
  if (Scalar.Kind == Source::Sgpr) {
    U64 Base = W.s64(Scalar.Reg) + U64(Offset);
    for (unsigned L = 0; L != NumLanes; ++L)
      Result.At[L] = Base + Low[L];
    return;
  }
  const U32 *High = Low + NumLanes;
  for (unsigned L = 0; L != NumLanes; ++L)
    Result.At[L] = (Low[L] | U64(High[L]) << 32) + U64(Offset);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
