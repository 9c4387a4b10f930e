// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sum, least and greatest of many integers: shuffles within a wave, then one
// atomic operation per wave and result.
#include "Check.h"

struct Reduced {
  unsigned long long Sum;
  unsigned Least;
  unsigned Greatest;
};

__global__ void reduce(const unsigned *Values, unsigned Count, Reduced *Total) {
  unsigned long long Sum = 0;
  unsigned Least = ~0u, Greatest = 0;
  const unsigned Stride = gridDim.x * blockDim.x;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += Stride) {
    Sum += Values[I];
    Least = min(Least, Values[I]);
    Greatest = max(Greatest, Values[I]);
  }
  // All lanes are active again, and workgroups are whole waves.
  for (int Offset = warpSize / 2; Offset > 0; Offset /= 2) {
    Sum += __shfl_down(Sum, Offset);
    Least = min(Least, __shfl_down(Least, Offset));
    Greatest = max(Greatest, __shfl_down(Greatest, Offset));
  }
  if (threadIdx.x % warpSize == 0) {
    atomicAdd(&Total->Sum, Sum);
    atomicMin(&Total->Least, Least);
    atomicMax(&Total->Greatest, Greatest);
  }
}

int main(int Argc, char **Argv) {
  const unsigned Times = timesUsual(Argc, Argv);
  const unsigned Count = 200017 * Times, Groups = 30 * Times;
  constexpr unsigned GroupSize = 256;
  Random Input(5);
  std::vector<unsigned> Values(Count);
  for (unsigned &Value : Values)
    Value = unsigned(Input.next());

  const std::vector<Reduced> Start(1, {0, ~0u, 0});
  const DeviceArray<unsigned> DeviceValues(Values);
  const DeviceArray<Reduced> DeviceTotal(Start);
  reduce<<<Groups, GroupSize>>>(DeviceValues.get(), Count, DeviceTotal.get());

  std::vector<Reduced> Expected = Start;
  Reduced &Total = Expected.front();
  for (unsigned Value : Values) {
    Total.Sum += Value;
    Total.Least = std::min(Total.Least, Value);
    Total.Greatest = std::max(Total.Greatest, Value);
  }
  Verdict Results("reduction");
  Results.expectEqual(DeviceTotal.read(), Expected);
  return Results.finish();
}
