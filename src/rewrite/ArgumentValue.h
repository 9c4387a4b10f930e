// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An argument of a hook at one point, before it has registers to arrive in.
#ifndef LUTHIER_REWRITE_ARGUMENTVALUE_H
#define LUTHIER_REWRITE_ARGUMENTVALUE_H

#include "hook/ComputedArgument.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>
#include <optional>
#include <variant>

namespace luthier {

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
};

} // namespace luthier

#endif // LUTHIER_REWRITE_ARGUMENTVALUE_H
