// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether compiling a constant into a hook saves code.
#ifndef LUTHIER_HOOK_IR_CONSTANTUSE_H
#define LUTHIER_HOOK_IR_CONSTANTUSE_H

namespace llvm {
class Argument;
} // namespace llvm

namespace luthier {

/// What a hook does with a parameter, if that is a constant.
enum class ConstantUse {
  Any,     ///< Compiled in, it may save code.
  Addend,  ///< It is added to something: only a zero saves code.
  Address, ///< It becomes part of addresses alone: any takes the same code.
};

/// Of \p A of a hook, before anything is inlined into it.
ConstantUse constantUseOf(const llvm::Argument &A);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_CONSTANTUSE_H
