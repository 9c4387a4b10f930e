// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that a function is inlined into.
#include "Check.h"

__device__ inline unsigned step(unsigned Value) {
  if (Value & 1)
    return 3 * Value + 1;
  return Value / 2;
}

__global__ void walk(unsigned *Values, unsigned Steps) {
  unsigned Value = Values[threadIdx.x];
  for (unsigned I = 0; I < Steps; ++I)
    Value = step(Value);
  Values[threadIdx.x] = Value;
}

int main() {
  constexpr unsigned Lanes = 64, Steps = 20;
  std::vector<unsigned> Values;
  for (unsigned I = 0; I < Lanes; ++I)
    Values.push_back(I + 1);
  const DeviceArray<unsigned> Device(Values);
  walk<<<1, Lanes>>>(Device.get(), Steps);
  for (unsigned Value : Device.read())
    std::printf("%u\n", Value);
}
