// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Refusal.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace luthier;

char Refusal::ID = 0;

StringRef luthier::toString(RefusalReason Reason) {
  switch (Reason) {
#define LUTHIER_REFUSAL(Name, Spelling, Meaning)                               \
  case RefusalReason::Name:                                                    \
    return Spelling;
#include "luthier/Refusal.def"
  }
  llvm_unreachable("a reason without a row in Refusal.def");
}

void Refusal::log(raw_ostream &OS) const {
  OS << toString(Reason) << ": " << Detail;
}

std::error_code Refusal::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Error luthier::refuse(RefusalReason Reason, const Twine &Detail) {
  return make_error<Refusal>(Reason, Detail);
}

std::string luthier::detailOf(Error E) {
  std::string Text;
  handleAllErrors(
      std::move(E), [&](const Refusal &R) { Text = R.detail().str(); },
      [&](const ErrorInfoBase &Other) { Text = Other.message(); });
  return Text;
}
