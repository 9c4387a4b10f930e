// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is too large to be inlined without a profile, called in a hot
// loop and at cold places.
#include "Input.h"

__device__ float advance(float X, float Y, const float *Table) {
  float Result = Y > 0 ? fmaf(X + Table[0] * X, Y, Table[1]) : X - Table[2] * Y;
#pragma unroll
  for (int I = 0; I < 6; ++I)
    if (Result > Table[3 + I] * 1e6f)
      Result = sinf(Result * Table[I]) + cosf(Y + float(I)) +
               powf(fabsf(Result) + 1, Table[I]);
  return Result;
}

__global__ __launch_bounds__(256) void largeCallee(const float *In,
                                                   const float *Table,
                                                   float *Out, int Times,
                                                   int Mode) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  float X = In[Lane], Y = In[Lane * 7 % Lanes];
  if (Mode & 1)
    X = advance(X, Y, Table);
  if (Mode & 2)
    Y = advance(Y, X, Table + 1);
  if (Mode & 4)
    X += advance(Y, Y, Table + 2);
  for (int I = 0; I < Times; ++I) {
    X = advance(X, Y, Table);
    Y = Y * 0.99f + 0.01f * X;
  }
  if (Mode & 8)
    X = advance(X, Y, Table + 3);
  if (Mode & 16)
    Y = advance(Y, X, Table + 4);
  Out[Lane] = X + Y;
}

int main() {
  const DeviceArray<float> In(Random(11).uniform(Lanes, 0, 16)),
      Table(Random(12).uniform(16, 0.01f, 0.07f)), Out(Lanes);
  largeCallee<<<Groups, GroupSize>>>(In.get(), Table.get(), Out.get(), 64, 0);
  printDigest("large-callee", Out);
}
