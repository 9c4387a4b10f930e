// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reportRefusal() for a kernel of which only an address is known.
#ifndef LUTHIER_RUNTIME_REFUSALS_H
#define LUTHIER_RUNTIME_REFUSALS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace luthier::runtime {

/// One instrumented version of a kernel runs at a time, and it is that of
/// another tool already.
class HasOtherTool : public llvm::ErrorInfo<HasOtherTool> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

void reportRefusal(llvm::StringRef Kernel, llvm::Error E);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REFUSALS_H
