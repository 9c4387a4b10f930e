// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes' accesses go, and the loops over active lanes.
#ifndef LUTHIER_EMULATOR_ISA_MEMORY_H
#define LUTHIER_EMULATOR_ISA_MEMORY_H

#include "emulator/isa/AddressMode.h"
#include "emulator/isa/Operands.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

template <class F> inline void forEachLane(U64 Mask, F Body) {
  for (; Mask; Mask &= Mask - 1)
    Body(unsigned(std::countr_zero(Mask)));
}

/// Stores become visible to other threads before the loads behind this are
/// made, for which a kernel waits; the host would let loads overtake them. It
/// keeps all other orders.
inline void finishStores() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/// One address per lane.
struct LaneAddresses {
  alignas(64) U64 At[NumLanes];
};

/// Host address of LDS bytes, or null and a fault.
inline uint8_t *ldsPointer(Wave &W, U64 Offset, unsigned Size) {
  if (Offset + Size <= W.LdsSize) [[likely]]
    return W.Lds + Offset;
  W.fault(ExecutionFault::Kind::MemoryViolation, "outside the workgroup's LDS",
          LdsApertureBase + Offset);
  return nullptr;
}

/// True when every lane is active and accesses LDS, so that a loop over all
/// lanes needs no further check.
inline bool allInLds(const Wave &W, const U32 *Address, U64 Offset,
                     unsigned Size) {
  if (W.exec() != ~U64(0))
    return false;
  U32 Highest = 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    Highest = Address[L] > Highest ? Address[L] : Highest;
  return Highest + Offset + Size <= W.LdsSize;
}

inline uint8_t *globalPointer(Wave &W, U64 Address, unsigned Size) {
  if (uint8_t *Host = W.Thread->Memory.pointer(Address, Size)) [[likely]]
    return Host;
  W.fault(ExecutionFault::Kind::MemoryViolation, "unmapped memory", Address);
  return nullptr;
}

/// True when the bytes belong to the wave's scratch.
inline bool isOwnScratch(const Wave &W, U64 Address, U64 Size) {
  return Address - W.ScratchBegin <= W.ScratchLimit - Size &&
         Size <= W.ScratchLimit;
}

/// Scratch memory, whose neighbours are other waves' scratch.
inline uint8_t *scratchPointer(Wave &W, U64 Address, unsigned Size) {
  if (isOwnScratch(W, Address, Size)) [[likely]]
    return globalPointer(W, Address, Size);
  W.fault(ExecutionFault::Kind::MemoryViolation, "outside the wave's scratch",
          Address);
  return nullptr;
}

/// Private memory interleaves the lanes' dwords, so that equal offsets of
/// neighbouring lanes are neighbours in memory.
inline U64 interleaved(const Wave &W, U64 Offset, unsigned Lane) {
  return (Offset / 4 * W.WaveSize + Lane) * 4 + Offset % 4;
}

uint8_t *privatePointer(Wave &W, U64 Offset, unsigned Lane, unsigned Size);

/// Host address of what a flat instruction of any segment accesses. Size may
/// not reach beyond one dword where \p isSplit says so.
uint8_t *flatPointer(Wave &W, const Inst &I, U64 Address, unsigned Lane,
                     unsigned Size);

/// True for addresses whose dwords are not consecutive in memory.
inline bool isSplit(const Inst &I, U64 Address) {
  return I.AddressMode == address::Scratch ||
         (I.AddressMode == address::Generic &&
          Address >> 32 == ScratchApertureBase >> 32);
}

/// Addresses of a flat instruction, before aperture handling.
void flatAddresses(Wave &W, const Inst &I, LaneAddresses &Result);

inline bool isAligned(Wave &W, U64 Address, unsigned Size) {
  if (Address % Size == 0) [[likely]]
    return true;
  W.fault(ExecutionFault::Kind::Misaligned, "misaligned atomic", Address);
  return false;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MEMORY_H
