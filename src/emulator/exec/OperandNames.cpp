// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alone in this file because LLVM's generated table is slow to compile.
#include "emulator/exec/OperandNames.h"
#include "llvm/Support/Compiler.h"
#include <cassert>
#include <iterator>

// The generated functions must not meet another copy of themselves when the
// engine and the emulator end up in one program.
#define AMDGPU LuthierEmulatorAMDGPU
#define GET_INSTRINFO_OPERAND_ENUM
#define GET_INSTRINFO_NAMED_OPS
#include "AMDGPUGenInstrInfo.inc"

namespace luthier::emulator {

namespace {

using llvm::LuthierEmulatorAMDGPU::OpName;

/// In the order of OperandName.
constexpr OpName Names[] = {
    OpName::vdst,
    OpName::sdst,
    OpName::sdata,
    OpName::src0,
    OpName::src1,
    OpName::src2,
    OpName::imm,
    OpName::simm16,
    OpName::src0_modifiers,
    OpName::src1_modifiers,
    OpName::src2_modifiers,
    OpName::clamp,
    OpName::omod,
    OpName::src0_sel,
    OpName::src1_sel,
    OpName::dst_sel,
    OpName::dst_unused,
    OpName::dpp_ctrl,
    OpName::row_mask,
    OpName::bank_mask,
    OpName::bound_ctrl,
    OpName::sbase,
    OpName::soffset,
    OpName::offset,
    OpName::offset0,
    OpName::offset1,
    OpName::cpol,
    OpName::gds,
    OpName::addr,
    OpName::data0,
    OpName::data1,
    OpName::vaddr,
    OpName::vdata,
    OpName::saddr,
    OpName::srsrc,
    OpName::format,
    OpName::tfe,
    OpName::cbsz,
    OpName::abid,
    OpName::blgp,
    OpName::idx,
    OpName::index_key_8bit,
    OpName::index_key_16bit,
    OpName::scale_src0,
    OpName::scale_src1,
    OpName::bitop3,
    OpName::byte_sel,
    OpName::dpp8,
    OpName::fi,
    OpName::waitvdst,
    OpName::waitvsrc,
};
static_assert(std::size(Names) == unsigned(OperandName::waitvsrc) + 1);

} // namespace

int namedOperand(unsigned Opcode, OperandName Name) {
  return llvm::LuthierEmulatorAMDGPU::getNamedOperandIdx(uint16_t(Opcode),
                                                         Names[unsigned(Name)]);
}

} // namespace luthier::emulator
