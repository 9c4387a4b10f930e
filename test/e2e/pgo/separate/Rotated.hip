// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Separate.h"
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void rotated(unsigned *Out) {
  unsigned Bits = threadIdx.x + 1;
  while (Bits < 0x10000)
    Bits = Bits % 3 ? Bits << 2 | Bits >> 1 : Bits * 7 + 1;
  Out[threadIdx.x] = Bits;
}

void printRotated() {
  unsigned *Out = nullptr;
  if (hipMallocManaged(&Out, 64 * sizeof(unsigned)) != hipSuccess)
    return;
  rotated<<<1, 64>>>(Out);
  if (hipDeviceSynchronize() != hipSuccess)
    return;
  unsigned Sum = 0;
  for (unsigned I = 0; I < 64; ++I)
    Sum ^= Out[I] << I % 8;
  std::printf("rotated %u\n", Sum);
}
