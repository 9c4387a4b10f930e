// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Problem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::pgo {

char Problem::ID = 0;

StringRef toString(ProblemKind Kind) {
  switch (Kind) {
#define LUTHIER_PGO_PROBLEM(Name, Spelling)                                    \
  case ProblemKind::Name:                                                      \
    return Spelling;
#include "pgo/Problem.def"
  }
  llvm_unreachable("unknown kind of problem");
}

void Problem::log(raw_ostream &OS) const {
  OS << toString(Kind) << ": " << Detail;
}

std::error_code Problem::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

} // namespace luthier::pgo
