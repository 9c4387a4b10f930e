// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a step of profile-guided optimisation cannot do what it was asked.
#ifndef LUTHIER_PGO_PROBLEM_H
#define LUTHIER_PGO_PROBLEM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier::pgo {

enum class ProblemKind {
#define LUTHIER_PGO_PROBLEM(Name, Spelling) Name,
#include "pgo/Problem.def"
};

/// Stable spelling for scripts and tests, such as "no-counters".
llvm::StringRef toString(ProblemKind Kind);

/// "KIND: DETAIL" for people.
class Problem : public llvm::ErrorInfo<Problem> {
public:
  static char ID;
  Problem(ProblemKind Kind, const llvm::Twine &Detail)
      : Kind(Kind), Detail(Detail.str()) {}
  ProblemKind kind() const { return Kind; }
  const std::string &detail() const { return Detail; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  ProblemKind Kind;
  std::string Detail;
};

inline llvm::Error problem(ProblemKind Kind, const llvm::Twine &Detail) {
  return llvm::make_error<Problem>(Kind, Detail);
}

} // namespace luthier::pgo

#endif // LUTHIER_PGO_PROBLEM_H
