// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of two units: the kernel is here, what it calls is in Weights.hip.
#include "Check.h"
#include <algorithm>

__device__ unsigned weightOf(unsigned Value);

/// Weights.hip has another function of this name.
static __device__ __attribute__((noinline)) unsigned bounded(unsigned Value) {
  return Value < 5000 ? Value : 5000 + Value % 16;
}

__global__ void addRows(unsigned *Data, unsigned Count, unsigned Rows) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  unsigned Sum = 0;
  for (unsigned Row = 0; Row < Rows; ++Row)
    Sum += weightOf(Data[I] + Row);
  Data[I] = bounded(Sum);
}

int main() {
  constexpr unsigned Count = 1000, Rows = 9;
  std::vector<unsigned> Values(Count);
  for (unsigned I = 0; I < Count; ++I)
    Values[I] = I;
  const DeviceArray<unsigned> Data(Values);
  addRows<<<groupsFor(Count, 128), 128>>>(Data.get(), Count, Rows);
  for (unsigned &Value : Values) {
    unsigned Sum = 0;
    for (unsigned Row = 0; Row < Rows; ++Row)
      Sum += std::min((Value + Row) % 10 ? Value + Row : 77, 700u);
    Value = Sum < 5000 ? Sum : 5000 + Sum % 16;
  }
  Verdict Results("rows");
  Results.expectEqual(Data.read(), Values);
  return Results.finish();
}
