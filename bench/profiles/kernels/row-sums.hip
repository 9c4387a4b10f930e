// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums by shuffles, and then a condition that holds for one lane: clang's
// control-height reduction, if a profile lets it, puts the shuffles below it.
#include "Input.h"

__global__ __launch_bounds__(256) void rowSums(const unsigned *In,
                                               unsigned Count, uint64_t *Out) {
  uint64_t Sum = 0;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    Sum += In[I];
  for (int Offset = warpSize / 2; Offset > 0; Offset /= 2)
    Sum += __shfl_down(Sum, Offset);
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Sum;
}

int main() {
  constexpr unsigned Count = 100017, Rows = 30;
  const DeviceArray<unsigned> In(numbersBelow(Count, 1ull << 32, 15));
  const DeviceArray<uint64_t> Out(Rows);
  rowSums<<<Rows, GroupSize>>>(In.get(), Count, Out.get());
  printDigest("row-sums", Out);
}
