// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a kernel was left alone. Everything Luthier refuses runs unchanged.
#ifndef LUTHIER_REFUSAL_H
#define LUTHIER_REFUSAL_H

#include "luthier/Export.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier {

/// One enumerator per cause; each has a test and a line in the summary.
/// Spellings live in Refusal.def, so that none can be forgotten.
enum class RefusalReason {
#define LUTHIER_REFUSAL(Name, Spelling, Meaning) Name,
#include "luthier/Refusal.def"
};

/// Stable spelling for summaries and tests, such as "register-budget".
LUTHIER_API llvm::StringRef toString(RefusalReason Reason);

/// Returned by any stage that cannot finish. Whoever consumes it dispatches
/// the original kernel and counts the reason once.
class LUTHIER_API Refusal : public llvm::ErrorInfo<Refusal> {
public:
  static char ID;
  Refusal(RefusalReason Reason, const llvm::Twine &Detail)
      : Reason(Reason), Detail(Detail.str()) {}

  RefusalReason reason() const { return Reason; }
  llvm::StringRef detail() const { return Detail; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  RefusalReason Reason;
  std::string Detail; ///< What was found, and where.
};

/// Shorthand for make_error<Refusal>.
LUTHIER_API llvm::Error refuse(RefusalReason Reason, const llvm::Twine &Detail);

/// The message of \p E for people: of a refusal only the detail. Consumes \p E.
LUTHIER_API std::string detailOf(llvm::Error E);

} // namespace luthier

#endif // LUTHIER_REFUSAL_H
