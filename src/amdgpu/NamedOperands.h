// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of an instruction by what they are for. LLVM has the table, but does
// not export it.
#ifndef LUTHIER_AMDGPU_NAMEDOPERANDS_H
#define LUTHIER_AMDGPU_NAMEDOPERANDS_H

#include <optional>

namespace luthier::amdgpu {

enum class OperandName {
  Addr,    ///< LDS offset, a VGPR.
  VAddr,   ///< VGPRs of any other address.
  SAddr,   ///< SGPRs added to them.
  SBase,   ///< Pair or descriptor of a scalar access.
  SRsrc,   ///< Buffer descriptor.
  SOffset, ///< SGPR or constant.
  Offset,  ///< Immediate.
  Offset0, ///< Immediates of accesses with two addresses.
  Offset1,
  GDS, ///< Flag.
  Format,
  TFE, ///< Flags of image operations that report missing texels.
  LWE,
};

/// Number of the operand of opcode \p Opcode, real or pseudo.
std::optional<unsigned> operandIndex(unsigned Opcode, OperandName Name);

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_NAMEDOPERANDS_H
