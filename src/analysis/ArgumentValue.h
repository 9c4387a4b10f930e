// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An argument of a hook at one point, before it has registers to arrive in.
#ifndef LUTHIER_ANALYSIS_ARGUMENTVALUE_H
#define LUTHIER_ANALYSIS_ARGUMENTVALUE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>
#include <optional>
#include <variant>

namespace luthier {

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
  /// Detail is a BufferLayout.
  Buffer,
  /// [m0]: bytes of an LDS-direct load, whose type M0 has.
  DirectSize,
  /// [word3]: bytes of an element in the format of a buffer descriptor. Detail
  /// is a BufferLayout.
  FormatSize,
  /// [stand-in, distance32]: a variable of the tool that has no address yet,
  /// and the distance from its begin. See hook/VariableAddresses.h.
  Variable,
  /// []: what the tool gives its hooks of this dispatch.
  DispatchValue,
};

/// Bits of a constant, or a register of one or two dwords.
using ArgumentInput = std::variant<uint64_t, llvm::MCRegister>;

struct ArgumentValue {
  /// Unset: the only input is the value.
  std::optional<ArgumentForm> Form;
  uint32_t Detail = 0;
  llvm::SmallVector<ArgumentInput, 4> Inputs;

  static ArgumentValue plain(ArgumentInput Input) {
    return {std::nullopt, 0, {Input}};
  }
  bool operator==(const ArgumentValue &) const = default;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_ARGUMENTVALUE_H
