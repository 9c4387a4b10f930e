// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Separate.h"
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void biased(unsigned *Sums, unsigned OneIn) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Sum = Lane;
  for (unsigned I = 0; I < 64; ++I) {
    const unsigned Element = I * 97 + Lane;
    if (Element % OneIn == 0)
      Sum = Sum / (Element % 13 + 3) + 7;
    if (Element % OneIn == 1)
      Sum = Sum % (Element % 11 + 5) * 9;
    Sum = Sum * 5 + Element;
  }
  Sums[Lane] = Sum;
}

void printBiased(unsigned OneIn) {
  constexpr unsigned Lanes = 256;
  unsigned *Sums = nullptr;
  if (hipMallocManaged(&Sums, Lanes * sizeof(unsigned)) != hipSuccess)
    return;
  biased<<<Lanes / 64, 64>>>(Sums, OneIn);
  if (hipDeviceSynchronize() != hipSuccess)
    return;
  unsigned Sum = 0;
  for (unsigned I = 0; I < Lanes; ++I)
    Sum = Sum * 31 + Sums[I];
  std::printf("biased %u\n", Sum);
}
