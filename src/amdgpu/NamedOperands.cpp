// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alone in this file because LLVM's generated table is slow to compile.
#include "amdgpu/NamedOperands.h"
#include "llvm/Support/Compiler.h"
#include <cassert>
#include <cstdint>
#include <iterator>

// A name of its own, so that the table meets no other copy of itself.
#define AMDGPU LuthierNamedOperands
#define GET_INSTRINFO_OPERAND_ENUM
#define GET_INSTRINFO_NAMED_OPS
#include "AMDGPUGenInstrInfo.inc"

namespace luthier::amdgpu {

using llvm::LuthierNamedOperands::OpName;

/// In the order of OperandName.
static constexpr OpName Names[] = {
    OpName::addr,    OpName::vaddr,   OpName::saddr,  OpName::sbase,
    OpName::srsrc,   OpName::soffset, OpName::offset, OpName::offset0,
    OpName::offset1, OpName::gds,     OpName::format, OpName::tfe,
    OpName::lwe,
};

std::optional<unsigned> operandIndex(unsigned Opcode, OperandName Name) {
  const int Index = llvm::LuthierNamedOperands::getNamedOperandIdx(
      uint16_t(Opcode), Names[unsigned(Name)]);
  if (Index < 0)
    return std::nullopt;
  return unsigned(Index);
}

} // namespace luthier::amdgpu
