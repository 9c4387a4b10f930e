// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reportRefusal() for a kernel of which only an address is known.
#ifndef LUTHIER_RUNTIME_REFUSALS_H
#define LUTHIER_RUNTIME_REFUSALS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier::runtime {

/// The kernel runs with the hooks of other tools, and those of one more cannot
/// be put beside them.
class HasOtherTool : public llvm::ErrorInfo<HasOtherTool> {
public:
  static char ID;
  explicit HasOtherTool(std::string Why) : Why(std::move(Why)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string Why;
};

void reportRefusal(llvm::StringRef Kernel, llvm::Error E);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REFUSALS_H
