// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that a payload computes from several values that arrive, such as
// the address of a memory access from a base, an index and an offset. What is
// the same for all points with one form of address is thus compiled once.
#ifndef LUTHIER_HOOK_COMPUTEDARGUMENT_H
#define LUTHIER_HOOK_COMPUTEDARGUMENT_H

#include "analysis/ArgumentValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <variant>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace luthier {

/// Where an argument that differs between call sites arrives: in registers,
/// counted in dwords from the first ones of the PayloadABI, or as literals,
/// which each copy of the payload has in its code.
struct ArgumentSlot {
  bool IsVector = false;
  unsigned Index = 0;
  unsigned Dwords = 1;
  bool IsLiteral = false; ///< Index counts CallSite::Literals.

  bool operator==(const ArgumentSlot &) const = default;
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
