// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output from kernels: printf of all kinds of arguments, from many lanes and
// waves. With the argument "assert", a kernel's assertion fails.
#include "Check.h"

#include <cassert>
#include <cstring>

__global__ void formats(int *Done) {
  printf("integers %d %5d|%-5d|%05d %u %x %#X %o %i\n", -1, 42, 42, 42,
         4000000000u, 0xbeef, 0xbeef, 8, 7);
  printf("long %ld %lld %llu %hd %hhd %zu\n", -5000000000L, -6000000000LL,
         18446744073709551615ULL, (short)-3, (char)-4, sizeof(int));
  printf("floats %f %.3f %e %g %10.2f|\n", 1.5, 3.14159, 12345.678, 0.0001,
         2.5f);
  // HIP 5.2 takes a string's printed width for its length, and so loses what
  // follows a padded one.
  printf("text %s %s|%.2s %c %% %10s|\n", "one", "two", "three", 'x', "four");
  printf("%s\n", "a long line that does not fit into one packet of arguments "
                 "and so needs several of them, one after the other, until all "
                 "of its characters have been sent");
  printf("pointer %s\n", Done ? "set" : "null");
  printf("no newline, ");
  printf("then one\n");
  printf("stars %*d %.*f\n", 6, 42, 2, 2.71828);
  *Done = printf("123456789\n");
}

/// Some lanes only, and from all waves.
__global__ void everyThird() {
  if (threadIdx.x % 3 == 0)
    printf("block %u lane %u\n", unsigned(blockIdx.x), unsigned(threadIdx.x));
}

__global__ void checkPositive(const int *Data) {
  assert(Data[threadIdx.x] > 0 && "must be positive");
}

int main(int NumArguments, char **) {
  int *Data;
  check(hipMalloc(&Data, 64 * 4), "hipMalloc");
  check(hipMemset(Data, 0, 64 * 4), "hipMemset");
  if (NumArguments > 1) {
    checkPositive<<<1, 64>>>(Data);
    std::printf("survived: %d\n", hipDeviceSynchronize());
    return 0;
  }
  formats<<<1, 1>>>(Data);
  check(hipDeviceSynchronize(), "formats");
  everyThird<<<2, 128>>>();
  check(hipDeviceSynchronize(), "everyThird");
  int Printed = 0;
  check(hipMemcpy(&Printed, Data, 4, hipMemcpyDeviceToHost), "copy out");
  check(Printed == 10, "printf returns how much it printed", Printed);
  return verdict();
}
