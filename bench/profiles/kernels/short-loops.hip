// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of no, one or two numbers: the compiler expects an inner loop to run
// long.
#include "Input.h"

__global__ __launch_bounds__(256) void shortLoops(const unsigned *Starts,
                                                  const float *Values,
                                                  float *Out, int Rows) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  float Result = 0;
  for (int Row = 0; Row < Rows; ++Row) {
    const unsigned *Start = Starts + Row * Lanes + Lane;
    float Sum = 0;
    for (unsigned I = Start[0]; I < Start[1]; ++I)
      Sum += Values[I] * Values[I + 1];
    Result = Result * 0.5f + Sum;
  }
  Out[Lane] = Result;
}

int main() {
  constexpr int Rows = 16;
  std::vector<unsigned> Starts = {0};
  for (unsigned Length : numbersBelow(Lanes * Rows, 3, 8))
    Starts.push_back(Starts.back() + Length);
  const DeviceArray<unsigned> DeviceStarts(Starts);
  const DeviceArray<float> Values(Random(9).uniform(Starts.back() + 1, 0, 1)),
      Out(Lanes);
  shortLoops<<<Groups, GroupSize>>>(DeviceStarts.get(), Values.get(), Out.get(),
                                    Rows);
  printDigest("short-loops", Out);
}
