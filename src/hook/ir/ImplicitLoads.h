// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code reads implicit arguments through an address that is one of two.
#ifndef LUTHIER_HOOK_IR_IMPLICITLOADS_H
#define LUTHIER_HOOK_IR_IMPLICITLOADS_H

#include "hook/PassContext.h"

namespace luthier {

/// Makes such code read both and select among the values, so that each load is
/// of a known argument. In version 5, blockDim is one of two arguments:
///   %n = select i1 %c, i64 6, i64 9
///   %a = getelementptr i16, ptr addrspace(4) %implicit, i64 %n
///   %v = load i16, ptr addrspace(4) %a
/// Expects simplified code. Leaves no choice in front of such a load.
class ImplicitLoadPass : public IRPass {
public:
  llvm::StringRef name() const override { return "implicit-loads"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_IMPLICITLOADS_H
