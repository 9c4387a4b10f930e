// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the contents of the metadata note, and as a descriptor.
#include "Entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  luthier::test::readMetadata({Data, Size});
  return 0;
}
