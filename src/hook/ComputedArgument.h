// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that a payload computes from several values that arrive, such as
// the address of a memory access from a base, an index and an offset. What is
// the same for all points with one form of address is thus compiled once.
#ifndef LUTHIER_HOOK_COMPUTEDARGUMENT_H
#define LUTHIER_HOOK_COMPUTEDARGUMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <variant>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace luthier {

/// Argument registers, counted in dwords from the frame's first ones.
struct ArgumentSlot {
  bool IsVector = false;
  unsigned Index = 0;
  unsigned Dwords = 1;

  bool operator==(const ArgumentSlot &) const = default;
};

/// How a value is made from inputs. Offsets are immediates of 32 bits, with a
/// sign; addresses are generic ones. "lane" is the number of the lane.
enum class ArgumentForm : uint8_t {
  /// [value]: the 16 bits of value from bit Detail on.
  Half,
  /// [low, high]: 64 bits.
  Pair,
  /// [base64, index32, offset]: base + zext(index) + offset.
  Global,
  /// [base64, offset]: base + offset + Detail * lane.
  GlobalByLane,
  /// [base64, index32, offset]: index and offset together lose the low bits
  /// that Detail has, base the low two.
  Scalar,
  /// [word0, word1, index32, offset]: the same from a buffer descriptor.
  ScalarBuffer,
  /// [base64, blocks32, offset]: base + 64 * blocks + offset, in dwords.
  ScalarScratch,
  /// [a32, b32, offset]: a + b + offset in the private segment.
  Private,
  /// [a32, offset]: a + offset in LDS.
  Local,
  /// [m0, offset]: m0[15:0] + offset + Detail * lane in LDS.
  LocalByLane,
  /// [address32, offset]: where the second operand of a two-address operation
  /// on LDS lies: a number of dwords behind the first one, which the offset
  /// holds or, if its bit 15 is set, the upper part of the address.
  LocalSecond,
  /// The same operations' first address.
  LocalFirst,
  /// [word0, word1, word3, index32, offset32, soffset32, offset]: a buffer.
  /// Detail is a BufferFeature set.
  Buffer,
  /// [m0]: bytes of an LDS-direct load, whose type M0 has.
  DirectSize,
  /// [word3]: bytes of an element in the format of a buffer descriptor. Detail
  /// is a BufferFeature set.
  FormatSize,
};

/// How a generation lays out buffer descriptors.
enum BufferFeature : uint32_t {
  /// Lane numbers extend the stride by the data format's bits; formats are of
  /// generation 9.
  BufferGfx9 = 1,
  /// Size of interleaved elements in two bits instead of one.
  BufferElementSize = 2,
};

/// An argument in a form, with constants or slots as inputs.
struct ComputedArgument {
  ArgumentForm Form;
  uint32_t Detail = 0;
  llvm::SmallVector<std::variant<uint64_t, ArgumentSlot>, 4> Inputs;

  bool operator==(const ComputedArgument &) const = default;
};

/// Emits the computation for \p Inputs, which are integers of 32 or 64 bits.
/// The result is an integer of 64 bits.
llvm::Value *computeArgument(llvm::IRBuilderBase &Builder, ArgumentForm Form,
                             uint32_t Detail,
                             llvm::ArrayRef<llvm::Value *> Inputs);

} // namespace luthier

#endif // LUTHIER_HOOK_COMPUTEDARGUMENT_H
