// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an address in an instrumented kernel means to a user: the application's
// own instruction, or code of a hook.
#ifndef LUTHIER_RUNTIME_FAULTTEXT_H
#define LUTHIER_RUNTIME_FAULTTEXT_H

#include "codeobject/CodeObject.h"
#include "rewrite/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace luthier::runtime {

/// One line on the instruction \p Offset bytes from the entry of
/// \p Instrumented, a version of \p Kernel of \p Original; \p Map as in
/// InstrumentedKernel. Names source lines where there is debug information.
std::string describeFault(const CodeObject &Original, const KernelInfo &Kernel,
                          const CodeObject &Instrumented,
                          llvm::ArrayRef<PCPair> Map, uint64_t Offset);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_FAULTTEXT_H
