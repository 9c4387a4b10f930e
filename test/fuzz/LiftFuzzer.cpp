// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the code of a kernel; the first one chooses the target.
#include "Entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  luthier::test::liftCode({Data, Size});
  return 0;
}
