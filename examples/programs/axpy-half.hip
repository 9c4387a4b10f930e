// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision, two elements at a time: packed instructions, and a last
// element that is handled alone.
#include "Check.h"

#include <hip/hip_fp16.h>

__global__ void axpyHalf(__half A, const __half *X, __half *Y, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * I + 1 < Count) {
    const __half2 *PairsX = reinterpret_cast<const __half2 *>(X);
    __half2 *PairsY = reinterpret_cast<__half2 *>(Y);
    PairsY[I] = __hfma2(__half2half2(A), PairsX[I], PairsY[I]);
  } else if (2 * I < Count) {
    Y[2 * I] = __hfma(A, X[2 * I], Y[2 * I]);
  }
}

int main(int Argc, char **Argv) {
  const unsigned Count = 60011 * timesUsual(Argc, Argv);
  constexpr unsigned GroupSize = 256;
  Random Input(12);
  std::vector<_Float16> X(Count), Y(Count);
  // From 2^-4 to 2^4 with either sign: results neither overflow nor vanish.
  for (unsigned I = 0; I < Count; ++I) {
    const float Sign = Input.next() % 2 ? 1 : -1;
    X[I] = _Float16(Sign * std::exp2(Input.uniform(-4, 4)));
    Y[I] = _Float16(std::exp2(Input.uniform(-4, 4)));
  }
  const _Float16 A = _Float16(1.2998046875f);

  const DeviceArray<_Float16> DeviceX(X), DeviceY(Y);
  axpyHalf<<<groupsFor((Count + 1) / 2, GroupSize), GroupSize>>>(
      __half(__half_raw{A}), reinterpret_cast<const __half *>(DeviceX.get()),
      reinterpret_cast<__half *>(DeviceY.get()), Count);

  // In this range a double holds the exact result, so the one rounding to half
  // is the fused multiply-add's.
  for (unsigned I = 0; I < Count; ++I)
    Y[I] = _Float16(double(A) * double(X[I]) + double(Y[I]));
  Verdict Results("axpy-half");
  Results.expectEqual(DeviceY.read(), Y);
  return Results.finish();
}
