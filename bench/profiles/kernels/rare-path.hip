// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hot loop with a heavy path that hardly any lane takes, and that needs many
// registers.
#include "Input.h"

__global__ __launch_bounds__(256) void rarePath(const unsigned *Seeds,
                                                float *Out, int Times,
                                                float Step) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned State = Seeds[Lane];
  float Sum = 0, Smooth = Step, Rare = 1;
  for (int I = 0; I < Times; ++I) {
    State = State * 1664525u + 1013904223u;
    if ((State >> 8 & 0xffff) == 0) {
      float Waves[24];
#pragma unroll
      for (int J = 0; J < 24; ++J)
        Waves[J] = sinf(float(State >> 16) * float(J + 1) * Step) + Sum;
#pragma unroll
      for (int J = 0; J < 24; ++J)
        Rare += Waves[J] * powf(fabsf(Waves[(J * 7 + 3) % 24]) + 1, Step);
    }
    Sum = fmaf(Sum, 0.999f, float(State & 15));
    Smooth = fmaf(Smooth, 0.5f, Sum);
  }
  Out[Lane] = Sum + Smooth + Rare;
}

int main() {
  const DeviceArray<unsigned> Seeds(numbersBelow(Lanes, 1ull << 32, 2));
  const DeviceArray<float> Out(Lanes);
  rarePath<<<Groups, GroupSize>>>(Seeds.get(), Out.get(), 128, 0x1p-10f);
  printDigest("rare-path", Out);
}
