// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local variables whose place or size only code could find out.
#ifndef LUTHIER_HOOK_IR_ALLOCALOWERING_H
#define LUTHIER_HOOK_IR_ALLOCALOWERING_H

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Gives each local variable of \p F room of a fixed size: of one whose size is
/// computed, the most that the computation can yield. Those that need more
/// alignment than a payload's stack has get room to move in. Refuses sizes
/// without a bound that fits.
llvm::Error lowerAllocas(llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_ALLOCALOWERING_H
