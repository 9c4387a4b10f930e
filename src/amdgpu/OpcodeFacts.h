// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's descriptions of opcodes leave out. Opcodes that have the same
// operation in several encodings and addressing modes share a row of
// VectorOperations.def, ScalarOperations.def or MemoryOperations.def; of image
// and matrix operations LLVM's flags say enough. An opcode without a row is
// refused (lacksFacts), and nothing else asks for parts of an opcode's name.
#ifndef LUTHIER_AMDGPU_OPCODEFACTS_H
#define LUTHIER_AMDGPU_OPCODEFACTS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class MachineInstr;
class MCInstrInfo;
} // namespace llvm

namespace luthier::amdgpu {

class OpcodeMap;

enum OpcodeTrait : uint32_t {
  NoTraits = 0,
  ReadsAnyLane = 1 << 0,
  /// Part of the result register, or some active lanes of it, stay as they are.
  WritesPart = 1 << 1,
  /// The result has 16 bits. What becomes of the others depends on the target.
  WritesHalf = 1 << 2,
  /// WritesHalf, and the others stay as they are since gfx9.
  KeepsHalf = 1 << 3,
  /// The tied source only stands for what is not written.
  KeepsOtherLanes = 1 << 4,
  /// The result is a source, too, although no operand says so.
  ReadsResult = 1 << 5,
  /// The result is a mask with zeros for inactive lanes.
  Compares = 1 << 6,
  /// Exchanges rows of lanes (v_permlane).
  Permutes = 1 << 7,
  /// M0 is added to the number of the register that is read, or written.
  IndexedRead = 1 << 8,
  IndexedWrite = 1 << 9,
  /// The trap handler or unknown code sees every register.
  Escapes = 1 << 10,
  /// Of hardware registers.
  ReadsHardware = 1 << 11,
  /// For a counter of outstanding memory operations.
  Waits = 1 << 12,
  /// Is counted like a scalar load.
  SendsForValue = 1 << 13,
  /// Writes back or invalidates a cache, without being counted like a load.
  ControlsCache = 1 << 14,
  /// LDS operations behind it may be done before it.
  AnswersOutOfTurn = 1 << 15,
  /// Rounds or flushes like arithmetic, although LLVM does not say that it
  /// reads MODE.
  FloatAtomic = 1 << 16,
  /// Goes between LDS and memory without registers.
  ThroughLds = 1 << 17,
  /// Where lanes have the same vector operands, they have the same result: no
  /// mask, such as a carry, and no other lane goes into it. Said of the integer
  /// operations that addresses are made by.
  WithinLane = 1 << 18,
};

/// How the addresses of an access are made; which operands are there, and of
/// which kind the memory is, LLVM says.
enum class MemoryForm : uint8_t {
  None, ///< No memory is accessed.
  Plain,
  Pair,        ///< LDS, at two immediate offsets that count elements.
  StridedPair, ///< The same in units of 64 elements.
  WithSecond,  ///< LDS, and a read at another address.
  ByLane,      ///< M0 or an SGPR, and four bytes for each lane.
  Counter,     ///< LDS at M0: one value that active lanes are counted in.
  LdsDirect,   ///< LDS at M0, which says the type, too.
  ScalarBuffer,
  ScalarScratch,
  /// Memory that hooks cannot be told of: global data share, stacks for ray
  /// tracing.
  Unaddressable,
};

enum MemoryAccessKind : uint8_t { NoAccess, Load, Store, Atomic };

/// Which VGPRs of a buffer operation's address there are.
enum class BufferAddress : uint8_t { None, Offset, Index, Both };

/// Instead of a number of bytes: as the format says.
inline constexpr uint8_t FormatBytes = 255;

struct OpcodeFacts {
  uint32_t Traits = NoTraits;
  MemoryForm Form = MemoryForm::None;
  MemoryAccessKind Access = NoAccess;
  uint8_t Bytes = 0; ///< Of one access of one lane.
  BufferAddress Address : 4 = BufferAddress::None;
  /// There is a row, or LLVM's flags suffice.
  bool IsKnown : 1 = false;
  /// Looked up before; for the table itself.
  bool IsFilled : 1 = false;

  bool has(uint32_t AnyOf) const { return Traits & AnyOf; }
};
static_assert(sizeof(OpcodeFacts) == sizeof(uint64_t));

/// Facts are the same for all processors. Of an unknown opcode they are such
/// that nothing is taken for granted.
OpcodeFacts opcodeFacts(const llvm::MCInstrInfo &Instructions, unsigned Opcode);
OpcodeFacts opcodeFacts(const llvm::MachineInstr &MI);

/// Has an encoding, according to \p Opcodes, and no row: to be refused.
bool lacksFacts(const llvm::MachineInstr &MI, const OpcodeMap &Opcodes);

/// The name of the row that \p Opcode, as LLVM spells it, belongs to; of two
/// operations in one instruction the first one's.
llvm::StringRef operationName(llvm::StringRef Opcode);

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_OPCODEFACTS_H
