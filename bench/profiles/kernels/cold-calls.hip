// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two large functions, called from places that are never reached, and one of
// them from a place that is, once.
#include "Input.h"

__device__ float heavy(float Value, float Scale) {
  float Sum = 0;
#pragma unroll 1
  for (int I = 0; I < 4; ++I) {
    Sum += sinf(Value + float(I)) * cosf(Value * Scale);
    Value = Value * 1.5f + Sum;
  }
  return Sum;
}

__device__ float repair(float Value, float Scale) {
  float Sum = 0;
  for (int I = 0; I < 6; ++I) {
    Sum += powf(fabsf(Value) + float(I), Scale) + tanhf(Value * float(I));
    Value -= Sum;
  }
  return Sum;
}

__global__ __launch_bounds__(256) void coldCalls(const float *In, float *Out,
                                                 int Times, float Limit) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  float Value = In[Lane], Sum = 0;
  for (int I = 0; I < Times; ++I) {
    const float Now = Value * float(I);
    if (Now > Limit)
      Sum += repair(Now, 0.25f) + heavy(Now, 0.5f);
    else
      Sum += Now * 0.5f;
    if (Now < -Limit)
      Sum -= repair(Now, 0.75f);
    Value += 0.001f;
  }
  Out[Lane] = Sum + heavy(Sum, 0.3f);
}

int main() {
  const DeviceArray<float> In(Random(10).uniform(Lanes, 0, 16)), Out(Lanes);
  coldCalls<<<Groups, GroupSize>>>(In.get(), Out.get(), 128, 1e9f);
  printDigest("cold-calls", Out);
}
