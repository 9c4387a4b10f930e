// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Separate.h"
#include <cstdio>
#include <hip/hip_runtime.h>

/// The compiler computes both sides of each condition, unless a profile says
/// that one is rare.
__global__ void biased(float *Sums, unsigned OneIn) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = Lane;
  for (unsigned I = 0; I < 64; ++I) {
    const unsigned Element = (I * 97 + Lane) % OneIn;
    float Value = I + 0.5f;
    if (Element == 0)
      Value = __builtin_sqrtf(Value) + Sum;
    if (Element == 1)
      Value = Value / (Sum + 1.5f);
    if (Element == 2)
      Sum += expf(-Value);
    Sum = Sum * 0.5f + Value;
  }
  Sums[Lane] = Sum;
}

void printBiased(unsigned OneIn) {
  constexpr unsigned Lanes = 256;
  float *Sums = nullptr;
  if (hipMallocManaged(&Sums, Lanes * sizeof(float)) != hipSuccess)
    return;
  biased<<<Lanes / 64, 64>>>(Sums, OneIn);
  if (hipDeviceSynchronize() != hipSuccess)
    return;
  double Sum = 0;
  for (unsigned I = 0; I < Lanes; ++I)
    Sum += Sums[I];
  std::printf("biased %a\n", Sum);
}
