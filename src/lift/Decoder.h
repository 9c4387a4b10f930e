// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes to LLVM's machine-code instructions.
#ifndef LUTHIER_LIFT_DECODER_H
#define LUTHIER_LIFT_DECODER_H

#include "amdgpu/MCTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace luthier {

class CodeObject;

struct DecodedInstruction {
  uint64_t Address = 0; ///< As linked.
  unsigned Size = 0;    ///< Bytes.
  llvm::MCInst Inst;    ///< With the real opcode; no expressions.
  /// An operand is a literal although its value fits an inline constant, so
  /// that encoding the value again gives a shorter instruction.
  bool HasNeedlessLiteral = false;
  /// Control gets here from its function's entry, as far as the code shows.
  bool IsReached = false;

  uint64_t end() const { return Address + Size; }
  /// Where the 16-bit operand \p Operand leads: dwords from the end.
  uint64_t target(unsigned Operand) const {
    return end() +
           4 * int64_t(static_cast<int16_t>(Inst.getOperand(Operand).getImm()));
  }
};

/// Encodings that LLVM decodes with reservations (SoftFail) are valid code.
/// Refuses what does not decode with UndecodableInstruction.
class Decoder {
public:
  explicit Decoder(const amdgpu::MCTarget &Target);

  /// The first instruction of \p Code, which is linked at \p Address.
  llvm::Expected<DecodedInstruction> first(llvm::ArrayRef<uint8_t> Code,
                                           uint64_t Address);
  /// The instruction at \p Address of \p Object, which must be executable.
  llvm::Expected<DecodedInstruction> at(const CodeObject &Object,
                                        uint64_t Address);

private:
  const amdgpu::MCTarget &Target;
  llvm::MCContext Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
};

/// Decodes all of \p Code, which is linked at \p Address.
llvm::Expected<std::vector<DecodedInstruction>>
decode(const amdgpu::MCTarget &Target, llvm::ArrayRef<uint8_t> Code,
       uint64_t Address);

} // namespace luthier

#endif // LUTHIER_LIFT_DECODER_H
