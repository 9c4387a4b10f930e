// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short conditions with a load behind them. One holds for nearly every lane,
// the other for one in ten: seen by waves, both nearly always hold.
#include "Input.h"

__global__ __launch_bounds__(256) void shortIf(const unsigned *Seeds,
                                               const unsigned *Table,
                                               unsigned *Out, int Times,
                                               unsigned Bound) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned State = Seeds[Lane], A = 0, B = 0, C = 1;
#pragma unroll 1
  for (int I = 0; I < Times; ++I) {
    State = State * 1664525u + 1013904223u;
    const unsigned Value = State >> 20;
    if (Value > Bound) {
      A += Table[(State >> 4) % Lanes];
      B ^= Value * A;
    }
    if ((Value & 31) < Bound)
      C = C * 3 + Table[(State >> 9) % Lanes];
  }
  Out[Lane] = A ^ B ^ C;
}

int main() {
  const DeviceArray<unsigned> Seeds(numbersBelow(Lanes, 1ull << 32, 5)),
      Table(numbersBelow(Lanes, 1ull << 32, 6)), Out(Lanes);
  shortIf<<<Groups, GroupSize>>>(Seeds.get(), Table.get(), Out.get(), 128, 3);
  printDigest("short-if", Out);
}
