// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop with conditions that hold for one element in N, the first argument:
// the compiler computes both sides of each and selects, unless a profile says
// that one side is rare.
#include "Check.h"
#include <cstdlib>

__global__ __launch_bounds__(256) void biased(const unsigned *Flags,
                                              const float *In, float *Out,
                                              int PerLane) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned Lanes = gridDim.x * blockDim.x;
  float Sum = In[Lane];
  for (int I = 0; I < PerLane; ++I) {
    const unsigned Flag = Flags[I * Lanes + Lane];
    float Value = In[(I * 17 + Lane) % Lanes];
    if (Flag & 1)
      Value = __builtin_sqrtf(fabsf(Value)) + Sum;
    if (Flag & 2)
      Value = Value / (Sum + 1.5f);
    if (Flag & 4)
      Sum += expf(-Value * Value);
    if (Flag & 8)
      Value = fmodf(Value, 3.f);
    if (Flag & 16)
      Sum *= logf(fabsf(Value) + 1.f);
    Sum = fmaf(Value, 0.5f, Sum);
  }
  Out[Lane] = Sum;
}

int main(int Argc, char **Argv) {
  const unsigned OneIn = Argc > 1 ? std::atoi(Argv[1]) : 20000;
  constexpr unsigned GroupSize = 256, Lanes = 4 * GroupSize, PerLane = 64;
  Random Input(3);
  std::vector<unsigned> Flags(Lanes * PerLane);
  for (unsigned &Flag : Flags)
    Flag = Input.next() % OneIn ? 0 : Input.next() % 32;
  std::vector<float> Values(Lanes);
  for (float &Value : Values)
    Value = float(Input.next() % 1024) / 64;
  const DeviceArray<unsigned> DeviceFlags(Flags);
  const DeviceArray<float> In(Values), Out(Values);
  biased<<<Lanes / GroupSize, GroupSize>>>(DeviceFlags.get(), In.get(),
                                           Out.get(), PerLane);
  for (float Value : Out.read())
    std::printf("%a\n", Value);
}
