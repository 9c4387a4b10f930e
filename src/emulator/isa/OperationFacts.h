// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of an operation besides how to compute it, and is not in LLVM's
// tables: a row each in OperationFacts.def and MemoryFacts.def. An operation
// that LLVM's tables call special needs a row. The decoder refuses it without.
#ifndef LUTHIER_EMULATOR_ISA_OPERATIONFACTS_H
#define LUTHIER_EMULATOR_ISA_OPERATIONFACTS_H

#include "emulator/core/ControlFlow.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace luthier::emulator {

/// What a wait is for.
enum class WaitKind : uint8_t {
  None,
  Combined, ///< As the target's WaitLayout has it.
  Load,
  Store,
  LdsAndScalar,
  Lds,
  Scalar,
  Export,
  LoadAndLds, ///< Two counts in one immediate.
  StoreAndLds,
  Everything,
  Alu,   ///< Results of the ALUs, and registers that memory operations read.
  Other, ///< Nothing that is emulated.
};

enum class MemorySpace : uint8_t {
  None,
  Lds,
  Flat,
  Global,
  Scratch,
  Buffer,
  Scalar,
  ScalarBuffer,
};

enum class MemoryAccess : uint8_t {
  None,
  Load,
  Store,
  Update,      ///< Atomic: the new value is made of the old one.
  Swap,        ///< Atomic: the new value is the data.
  CompareSwap, ///< Atomic: the data, if the old value is the expected one.
  Count,       ///< Atomic: counts lanes.
  ToLds,       ///< From memory to LDS, without a register.
  FromLds,
  Invalidate, ///< Of a cache.
  WriteBack,  ///< Of a cache; hints to caches, too.
  Clock,
  LanePermute, ///< In the local data share, but without its memory.
  GlobalSync,
  Nothing,
};

/// Another order of waves may give it another result.
inline bool isAtomic(MemoryAccess A) {
  return A == MemoryAccess::Update || A == MemoryAccess::Swap ||
         A == MemoryAccess::CompareSwap || A == MemoryAccess::Count;
}

/// What multiplies matrices on targets with AGPRs.
enum class MatrixUnit : uint8_t {
  Narrow, ///< The faster one, for inputs of at most 16 bits.
  Xf32,   ///< The same on shortened f32.
  Single,
  Double,
};

struct MatrixShape {
  /// Of the result: 4, 16 or 32; 0 for what is no matrix operation.
  uint8_t Rows = 0;
  /// Columns of the first factor.
  uint8_t Depth = 0;
  MatrixUnit Unit = MatrixUnit::Narrow;
};

namespace trait {
enum Trait : uint32_t {
  /// Reads lanes that are not active.
  ReadsInactive = 1 << 0,
  LaneToScalar = 1 << 1,
  ScalarToLane = 1 << 2,
  /// A scalar source says which lane.
  SelectsLane = 1 << 3,
  SwapsRows = 1 << 4,
  /// Not right after v_cmpx, which shares a port with it.
  PermutesRows = 1 << 5,
  /// Takes one source as a bit per lane.
  ReadsMask = 1 << 6,
  /// That source is always VCC: v_div_fmas.
  MaskIsVcc = 1 << 7,
  /// M0 offsets register numbers.
  Relative = 1 << 8,
  /// Source 0 is the second operand of what it computes.
  Reversed = 1 << 9,
  /// Source 0 cannot be a value of LDS.
  NoLdsSource = 1 << 10,
  ToAgpr = 1 << 11,
  AccessesAgpr = 1 << 12,
  DoubleFma = 1 << 13,
  VectorNop = 1 << 14,
  /// SCC becomes "the sources differ".
  ComparesUnequal = 1 << 15,
  /// Needs M0 to be there: not right after a scalar write.
  TakesM0 = 1 << 16,
  /// Of the LDS: M0 is an operand.
  UsesM0 = 1 << 17,
  Nop = 1 << 18,
  Sleep = 1 << 19,
  Clause = 1 << 20,
  SetRegister = 1 << 21,
  GetRegister = 1 << 22,
  SetDenormals = 1 << 23,
  Message = 1 << 24,
  MessageReply = 1 << 25,
  /// What it reads differs from run to run.
  Volatile = 1 << 26,
  GetPC = 1 << 27,
  // Of memory operations.
  LowHalf = 1 << 28,  ///< One half of a data register; the other one stays.
  HighHalf = 1 << 29, ///< The same with the upper half.
  TwoAddresses = 1 << 30,
  Far = 1u << 31, ///< Distances of two addresses count 64 elements.
};
} // namespace trait

struct OperationFacts {
  /// Empty for operations without a row.
  std::string_view Name;
  uint32_t Traits = 0;
  ControlFlow Flow = ControlFlow::Next;
  WaitKind Waits = WaitKind::None;
  MemorySpace Space = MemorySpace::None;
  MemoryAccess Access = MemoryAccess::None;
  /// At each address; 0 if a descriptor or M0 says how many.
  uint8_t Bytes = 0;
  MatrixShape Matrix = {};

  bool has(trait::Trait T) const { return Traits & T; }
  /// Calls, returns, and jumps that may be either.
  bool leavesFunction() const {
    return Flow == ControlFlow::Jump || Flow == ControlFlow::Call;
  }
  /// What depends on time or on the order of others.
  bool isVolatile() const {
    return has(trait::Volatile) || isAtomic(Access) ||
           Access == MemoryAccess::Clock;
  }
};

/// The row of \p Operation; one without a name if there is none.
const OperationFacts &factsOf(std::string_view Operation);
std::span<const OperationFacts> operationFacts();

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_ISA_OPERATIONFACTS_H
