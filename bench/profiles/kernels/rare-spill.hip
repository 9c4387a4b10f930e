// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More values than registers, since large workgroups have to fit: which of them
// the hot loop uses decides which should be in memory.
#include "Input.h"

constexpr int Held = 72, Period = 4096;

__global__ __launch_bounds__(1024)
    __attribute__((amdgpu_waves_per_eu(8, 8))) void rareSpill(const float *In,
                                                              float *Out,
                                                              int Times,
                                                              int Rare) {
  const int Lane = int(blockIdx.x * blockDim.x + threadIdx.x);
  float Values[Held];
#pragma unroll
  for (int J = 0; J < Held; ++J)
    Values[J] = In[(Lane + J * 5) % Period];
#pragma unroll 1
  for (int I = 0; I < Times; ++I) {
    const float Input = In[(I * 64 + Lane) % Period];
#pragma unroll
    for (int J = 0; J < Held / 3; ++J)
      Values[J] = fmaf(Values[J], 0.5f, Input);
    if (I == Rare) {
#pragma unroll
      for (int J = 0; J < Held; ++J)
        Values[J] += Values[(J * 7 + 3) % Held] * Input;
    }
  }
  float Sum = 0;
#pragma unroll
  for (int J = 0; J < Held; ++J)
    Sum += Values[J] * float(J + 1);
  Out[Lane] = Sum;
}

int main() {
  const DeviceArray<float> In(Random(14).uniform(Period, 0, 1)), Out(Period);
  rareSpill<<<Period / 1024, 1024>>>(In.get(), Out.get(), 64, 1000);
  printDigest("rare-spill", Out);
}
