// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the application's kernel takes, for hooks in it.
#ifndef LUTHIER_TEST_E2E_HIDDENARGUMENTS_ARGUMENTS_H
#define LUTHIER_TEST_E2E_HIDDENARGUMENTS_ARGUMENTS_H

#include <cstdint>

/// Sums of what hooks saw, once per launch.
struct Seen {
  uint32_t Launches, GridSize, BlockSize, Offset, IsCooperative;
};

struct Arguments {
  uint32_t *Work;
  Seen *Sums;
  uint32_t Number; ///< Of the entry in both.
};

#endif // LUTHIER_TEST_E2E_HIDDENARGUMENTS_ARGUMENTS_H
