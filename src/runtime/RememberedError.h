// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An llvm::Error can be consumed once; a cached failure is returned each time
// somebody asks again.
#ifndef LUTHIER_RUNTIME_REMEMBEREDERROR_H
#define LUTHIER_RUNTIME_REMEMBEREDERROR_H

#include "luthier/Refusal.h"
#include <optional>
#include <string>

namespace luthier::runtime {

class RememberedError {
public:
  explicit RememberedError(llvm::Error E) {
    llvm::handleAllErrors(
        std::move(E),
        [&](const Refusal &R) {
          Reason = R.reason();
          Text = R.detail();
        },
        [&](const llvm::ErrorInfoBase &Other) { Text = Other.message(); });
  }

  llvm::Error error() const {
    return Reason ? refuse(*Reason, Text) : llvm::createStringError(Text);
  }

private:
  std::optional<RefusalReason> Reason;
  std::string Text;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REMEMBEREDERROR_H
