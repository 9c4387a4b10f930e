// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   separate N
// A kernel of each file; conditions of one hold for one element in N.
#include "Separate.h"
#include <cstdlib>

int main(int, char **Argv) {
  printBiased(unsigned(std::atoi(Argv[1])));
  printRotated();
}
