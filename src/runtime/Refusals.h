// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reportRefusal() for a kernel of which only an address is known.
#ifndef LUTHIER_RUNTIME_REFUSALS_H
#define LUTHIER_RUNTIME_REFUSALS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace luthier::runtime {

void reportRefusal(llvm::StringRef Kernel, llvm::Error E);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REFUSALS_H
