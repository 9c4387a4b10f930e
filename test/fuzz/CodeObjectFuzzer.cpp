// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a code object, a bundle, or a file that embeds one.
#include "Entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  luthier::test::readCodeObject({Data, Size});
  return 0;
}
