// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that wait for each other, beside a path that one lane takes and that
// needs sixty registers: how many waves fit a SIMD decides.
#include "Input.h"

constexpr unsigned Chased = 1 << 14;

__global__ __launch_bounds__(256) void chase(const unsigned *Next,
                                             const float *Weights, float *Out,
                                             int Times, unsigned Rare) {
  unsigned Place = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned Lane = Place;
  float Sum = 0;
#pragma unroll 1
  for (int I = 0; I < Times; ++I) {
    Place = Next[Place];
    if (Place == Rare) {
      float Found[60];
#pragma unroll
      for (int J = 0; J < 60; ++J)
        Found[J] = Weights[(Place + J * 3) % Chased];
#pragma unroll
      for (int J = 0; J < 60; ++J)
        Sum = fmaf(Found[J], Found[(J * 13 + 7) % 60], Sum);
    }
    Sum += Weights[Place];
  }
  Out[Lane] = Sum;
}

int main() {
  std::vector<unsigned> Next(Chased);
  for (unsigned I = 0; I < Chased; ++I)
    Next[I] = (I * 40503u + 17) % Chased;
  const DeviceArray<unsigned> DeviceNext(Next);
  const DeviceArray<float> Weights(Random(13).uniform(Chased, 0, 1)),
      Out(Chased);
  chase<<<Chased / GroupSize, GroupSize>>>(DeviceNext.get(), Weights.get(),
                                           Out.get(), 16, 12345);
  printDigest("pointer-chase", Out);
}
