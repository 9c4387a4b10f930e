// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an encoding keeps its named operands. The table is LLVM's, which does
// not export it.
#ifndef LUTHIER_EMULATOR_EXEC_OPERANDNAMES_H
#define LUTHIER_EMULATOR_EXEC_OPERANDNAMES_H

#include <cstdint>

namespace luthier::emulator {

/// Spelled as in LLVM's operand lists.
enum class OperandName : uint8_t {
  vdst,
  sdst,
  sdata,
  src0,
  src1,
  src2,
  imm,
  simm16,
  src0_modifiers,
  src1_modifiers,
  src2_modifiers,
  clamp,
  omod,
  src0_sel,
  src1_sel,
  dst_sel,
  dst_unused,
  dpp_ctrl,
  row_mask,
  bank_mask,
  bound_ctrl,
  sbase,
  soffset,
  offset,
  offset0,
  offset1,
  cpol,
  gds,
  addr,
  data0,
  data1,
  vaddr,
  vdata,
  saddr,
  srsrc,
  format,
  tfe,
  cbsz,
  abid,
  blgp,
  idx,
  index_key_8bit,
  index_key_16bit,
  scale_src0,
  scale_src1,
  bitop3,
  byte_sel,
  dpp8,
  fi,
  waitvdst,
  waitvsrc,
};

/// Index in the MCInst's operands, or -1.
int namedOperand(unsigned Opcode, OperandName Name);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_OPERANDNAMES_H
