// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the encodings of scalar operands stand for, other than constants. LLVM's
// disassembler prints some on targets that do not have them.
#ifndef LUTHIER_EMULATOR_CORE_SCALAROPERAND_H
#define LUTHIER_EMULATOR_CORE_SCALAROPERAND_H

#include <cstdint>

namespace luthier::emulator {

enum class ScalarOperand : uint8_t {
  None,
  Sgpr,
  FlatScratch, ///< A pair.
  XnackMask,   ///< A pair; nothing here reads it.
  Vcc,         ///< A pair.
  TrapTemp,
  M0,
  Null,
  Exec, ///< A pair.
  SharedBase,
  SharedLimit,
  PrivateBase,
  PrivateLimit,
  /// Of waves that draw. Not emulated.
  PopsExitingWaveId,
  VccZero,
  ExecZero,
  Scc,
  LdsDirect,
};

/// Encodings that stand for the same, or for registers one after the other.
struct ScalarOperandRange {
  uint8_t First, Last;
  ScalarOperand What;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_SCALAROPERAND_H
