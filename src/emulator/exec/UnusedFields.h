// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields for operands that an operation does not have. Hardware does not look
// at them, while LLVM's disassembler takes only zeroes there.
#ifndef LUTHIER_EMULATOR_EXEC_UNUSEDFIELDS_H
#define LUTHIER_EMULATOR_EXEC_UNUSEDFIELDS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace luthier::emulator {

/// The opcode that code decodes to; none if it does not decode.
using OpcodeReader =
    std::function<std::optional<unsigned>(std::span<const uint8_t>)>;

/// Clears as few fields of \p Code as are unused and keep it from being
/// decoded. False, and \p Code as it was, if that is not what is wrong with it.
bool clearUnusedFields(std::span<uint8_t> Code, unsigned Generation,
                       const OpcodeReader &Read);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_UNUSEDFIELDS_H
