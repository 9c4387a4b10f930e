// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the descriptor of a kernel, behind one that chooses the target
// and before those of the code.
#include "Entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  luthier::test::readDescriptor({Data, Size});
  return 0;
}
