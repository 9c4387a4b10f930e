// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address calculation and range checks of buffer instructions.
#ifndef LUTHIER_EMULATOR_ISA_BUFFER_H
#define LUTHIER_EMULATOR_ISA_BUFFER_H

#include "emulator/isa/BufferDescriptor.h"
#include "emulator/isa/Memory.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

class BufferAccess {
public:
  BufferAccess(Wave &W, const Inst &I) : Buffer(&W.S[I.Src[1].Reg]) {
    init(W, I);
  }

  /// Lanes out of range load zero and store nothing.
  bool inRange(unsigned L, unsigned Bytes) const;
  /// Host address of \p Bytes that begin \p Extra bytes into the lane's access.
  uint8_t *pointer(Wave &W, unsigned L, unsigned Extra, unsigned Bytes);

  BufferDescriptor Buffer;

private:
  void init(Wave &W, const Inst &I);
  /// Distance from the descriptor's base.
  U64 linear(unsigned L) const;

  U32 ScalarOffset = 0;
  U32 Index[NumLanes];
  U32 Offset[NumLanes];
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_BUFFER_H
