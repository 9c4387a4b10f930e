// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that a kernel does not declare and the runtime adds.
#ifndef LUTHIER_HOOK_HIDDENARGUMENTS_H
#define LUTHIER_HOOK_HIDDENARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace luthier {

/// Rows of HiddenArguments.def; their order numbers bits in sets of them.
enum class HiddenArgument : uint8_t {
#define LUTHIER_HIDDEN_ARGUMENT(Name, ValueKind, Bytes, V4, V5) Name,
#include "hook/HiddenArguments.def"
};

struct HiddenArgumentInfo {
  const char *ValueKind; ///< In the kernel's metadata.
  unsigned Bytes;
  int OffsetV4, OffsetV5; ///< Negative: unknown to that version.
};

inline llvm::ArrayRef<HiddenArgumentInfo> hiddenArguments() {
  static constexpr HiddenArgumentInfo Table[] = {
#define LUTHIER_HIDDEN_ARGUMENT(Name, ValueKind, Bytes, V4, V5)                \
  {ValueKind, Bytes, V4, V5},
#include "hook/HiddenArguments.def"
  };
  return Table;
}

constexpr uint32_t hiddenBit(HiddenArgument Argument) {
  return uint32_t(1) << unsigned(Argument);
}

} // namespace luthier

#endif // LUTHIER_HOOK_HIDDENARGUMENTS_H
