// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reportRefusal() for a kernel of which only an address is known.
#ifndef LUTHIER_RUNTIME_REFUSALS_H
#define LUTHIER_RUNTIME_REFUSALS_H

#include "luthier/Refusal.h"
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

/// Likewise, for a reason that tools can act on.
class RefusedBesideOthers
    : public llvm::ErrorInfo<RefusedBesideOthers, Refusal> {
public:
  static char ID;
  using ErrorInfo::ErrorInfo;
  void log(llvm::raw_ostream &OS) const override;
};

/// \p E, of a kernel that runs with the hooks of other tools. What was a
/// Refusal is one.
llvm::Error besideOthers(llvm::Error E);

void reportRefusal(llvm::StringRef Kernel, llvm::Error E);

/// A launch of \p Kernel loses the hooks of \p Tool, which were unloaded while
/// the launch was on its way. Said once for each kernel.
void reportLostHooks(llvm::StringRef Kernel, llvm::StringRef Tool);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REFUSALS_H
