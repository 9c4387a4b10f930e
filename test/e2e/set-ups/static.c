// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statically linked, it has no loader that could preload anything.
#include <fcntl.h>
#include <stdio.h>

int main(void) {
  puts(open("/dev/kfd", O_RDWR) < 0 ? "no GPU" : "a GPU");
  return 0;
}
