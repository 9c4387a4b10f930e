// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations. A row names an operation once, by its mnemonic
// without encoding suffix; all encodings of all targets share it.
#ifndef LUTHIER_EMULATOR_ISA_OPERATION_H
#define LUTHIER_EMULATOR_ISA_OPERATION_H

#include "emulator/core/Inst.h"
#include <span>

namespace luthier::emulator {

struct Operation {
  const char *Name;
  Handler Fn;
  /// Types of destination and sources; the decoder needs them for constants
  /// and modifiers.
  ValueType Dst = ValueType::None;
  ValueType Src[3] = {};
  /// Used instead of Fn when the instruction has its clamp bit set and clamping
  /// means saturation. Null: clamp is applied to the result as a float.
  Handler Saturating = nullptr;
  /// Overrides Inst::FloatMode where the types do not tell.
  uint8_t FloatMode = 0;
  /// Counts as one lane though it is a vector operation.
  bool LaneAccess = false;
  /// The unused half of a 16-bit result keeps its value.
  bool KeepsHigh = false;
  /// The handler itself reads op_sel and the sign bits from the operands.
  bool OwnSelect = false;
};

/// Runs a wave until an event or until Budget instructions were issued.
using RunLoop = void (*)(Wave &, unsigned Budget);

/// The handlers, compiled for one level of the host's vector instructions.
struct OperationSet {
  std::span<const std::span<const Operation>> Tables;
  RunLoop Run;
  /// The same under ThreadContext::Observer.
  RunLoop RunObserved;
};

/// The best set this host can execute.
const OperationSet &operationSet();

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_ISA_OPERATION_H
