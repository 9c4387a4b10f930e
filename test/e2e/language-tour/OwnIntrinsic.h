// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook with an intrinsic that the tool adds.
#ifndef LUTHIER_TEST_E2E_LANGUAGETOUR_OWNINTRINSIC_H
#define LUTHIER_TEST_E2E_LANGUAGETOUR_OWNINTRINSIC_H

#include "luthier/luthier.h"

namespace tour {

/// Once, before the first kernel.
void registerIntrinsic();
/// At the kernel's entry.
llvm::Error insertOwnIntrinsic(luthier::InstrumentationTask &Task);
bool ownIntrinsicIsRight();

} // namespace tour

#endif // LUTHIER_TEST_E2E_LANGUAGETOUR_OWNINTRINSIC_H
