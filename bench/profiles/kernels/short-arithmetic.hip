// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dozen of operations under a condition that holds for half of the lanes, so
// that each wave executes them.
#include "Input.h"

__global__ __launch_bounds__(256) void shortArithmetic(const unsigned *Seeds,
                                                       unsigned *Out, int Times,
                                                       unsigned Bound) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned State = Seeds[Lane], A = 1, B = 2, C = 3, D = 4;
#pragma unroll 1
  for (int I = 0; I < Times; ++I) {
    State = State * 1664525u + 1013904223u;
    const unsigned Value = State >> 20;
    if (Value > Bound) {
      A = A * Value + B;
      B ^= A >> 3;
      C += B * Value;
      D = D * 5 + C;
      A ^= D;
      B += A * 3;
      C ^= B;
      D += C >> 1;
      A += D * 7;
      B ^= A;
      C += B;
      D ^= C;
    }
    A += Value;
  }
  Out[Lane] = A ^ B ^ C ^ D;
}

int main() {
  const DeviceArray<unsigned> Seeds(numbersBelow(Lanes, 1ull << 32, 7)),
      Out(Lanes);
  shortArithmetic<<<Groups, GroupSize>>>(Seeds.get(), Out.get(), 128, 2048);
  printDigest("short-arithmetic", Out);
}
