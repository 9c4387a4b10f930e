// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts arguments into the registers that a payload expects them in.
#ifndef LUTHIER_REWRITE_EMIT_ARGUMENTMOVES_H
#define LUTHIER_REWRITE_EMIT_ARGUMENTMOVES_H

#include "amdgpu/MachineEncoder.h"
#include "hook/Payload.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier {

/// A register of the application to put into an argument register just before a
/// payload.
struct ArgumentMove {
  ArgumentSlot Slot;
  llvm::MCRegister From;

  bool operator==(const ArgumentMove &) const = default;
};

/// Appends to \p Code what makes \p Moves, all at once: a register that one
/// move writes and another reads is read first. SCC, VCC, EXEC, M0, MODE and
/// the registers named in the moves have the application's values; of these,
/// nothing but argument registers is changed. \p Temporary is an SGPR to use
/// where needsTemporary() says so.
void encodeMoves(llvm::ArrayRef<ArgumentMove> Moves, const PayloadABI &ABI,
                 amdgpu::MachineEncoder &Encoder,
                 llvm::SmallVectorImpl<uint8_t> &Code,
                 llvm::MCRegister Temporary = {});

/// A 64-bit register whose halves have no encoding.
bool isAperture(llvm::MCRegister Reg);

/// Scalar argument registers exchange their values.
bool needsTemporary(llvm::ArrayRef<ArgumentMove> Moves, const PayloadABI &ABI,
                    const amdgpu::MCTarget &Target);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_ARGUMENTMOVES_H
