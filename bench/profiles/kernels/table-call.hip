// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through a table of functions, of which one is nearly always meant.
#include "Input.h"

using Function = float (*)(float, float);
__device__ __noinline__ float scaled(float X, float Y) { return X * Y + 1; }
__device__ __noinline__ float rooted(float X, float Y) {
  return __builtin_sqrtf(fabsf(X)) + Y;
}
__device__ __noinline__ float taken(float X, float Y) { return X - Y * 2; }
__device__ Function Functions[] = {scaled, rooted, taken};

__global__ __launch_bounds__(256) void tableCall(const unsigned *Selection,
                                                 const float *In, float *Out,
                                                 int Times) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned Selected = Selection[Lane];
  float Value = In[Lane];
  for (int I = 0; I < Times; ++I)
    Value = Functions[Selected](Value, float(I));
  Out[Lane] = Value;
}

int main() {
  std::vector<unsigned> Selection = numbersBelow(Lanes, 512, 16);
  for (unsigned &Selected : Selection)
    Selected = Selected < 2 ? Selected + 1 : 0;
  const DeviceArray<unsigned> DeviceSelection(Selection);
  const DeviceArray<float> In(Random(17).uniform(Lanes, 0, 16)), Out(Lanes);
  tableCall<<<Groups, GroupSize>>>(DeviceSelection.get(), In.get(), Out.get(),
                                   32);
  printDigest("table-call", Out);
}
