// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes to LLVM's machine-code instructions.
#ifndef LUTHIER_LIFT_DECODER_H
#define LUTHIER_LIFT_DECODER_H

#include "amdgpu/MCTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace luthier {

struct DecodedInstruction {
  uint64_t Address = 0; ///< As linked.
  unsigned Size = 0;    ///< Bytes.
  llvm::MCInst Inst;    ///< With the real opcode; no expressions.
  /// An operand is a literal although its value fits an inline constant, so
  /// that encoding the value again gives a shorter instruction.
  bool HasNeedlessLiteral = false;
};

/// Decodes all of \p Code, which is linked at \p Address. Encodings that LLVM
/// decodes with reservations (SoftFail) are valid code.
llvm::Expected<std::vector<DecodedInstruction>>
decode(const amdgpu::MCTarget &Target, llvm::ArrayRef<uint8_t> Code,
       uint64_t Address);

} // namespace luthier

#endif // LUTHIER_LIFT_DECODER_H
