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
  BufferAccess(Wave &W, const Inst &I) : Buffer(&W.S[I.Src[1].Reg], *W.T) {
    init(W, I);
  }

  /// Whether \p Bytes that begin \p Extra bytes into the lane's access lie in
  /// the buffer. Those that do not read as zero and cannot be written.
  bool inRange(unsigned L, unsigned Extra, unsigned Bytes) const;
  /// Device and host address of the bytes.
  U64 address(unsigned L, unsigned Extra) const {
    return Buffer.Base + linear(L, Extra);
  }
  uint8_t *pointer(Wave &W, unsigned L, unsigned Extra, unsigned Bytes) const {
    U64 Address = address(L, Extra);
    return Buffer.isScratch() ? scratchPointer(W, Address, Bytes)
                              : globalPointer(W, Address, Bytes);
  }

  BufferDescriptor Buffer;

private:
  void init(Wave &W, const Inst &I);
  /// Distance from the descriptor's base.
  U64 linear(unsigned L, unsigned Extra) const;

  bool HasIndex = false;
  U32 ScalarOffset = 0;
  U32 Index[NumLanes];
  U32 Offset[NumLanes];
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_BUFFER_H
