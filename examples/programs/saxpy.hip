// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid-stride loop: fewer work items than elements, and waves that leave the
// loop after different numbers of iterations.
#include "Check.h"

__global__ void saxpy(float A, const float *X, float *Y, unsigned Count) {
  const unsigned Stride = gridDim.x * blockDim.x;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += Stride)
    Y[I] = fmaf(A, X[I], Y[I]);
}

int main(int Argc, char **Argv) {
  const unsigned Times = timesUsual(Argc, Argv);
  const unsigned Count = 150001 * Times, Groups = 37 * Times;
  // Three waves and a half.
  constexpr unsigned GroupSize = 224;
  constexpr float A = 1.7f;
  Random Input(2);
  const std::vector<float> X = Input.uniform(Count, -10, 10);
  std::vector<float> Y = Input.uniform(Count, -10, 10);

  const DeviceArray<float> DeviceX(X), DeviceY(Y);
  saxpy<<<Groups, GroupSize>>>(A, DeviceX.get(), DeviceY.get(), Count);

  // A fused multiply-add rounds once, on the host as on the device.
  for (unsigned I = 0; I < Count; ++I)
    Y[I] = std::fmaf(A, X[I], Y[I]);
  Verdict Results("saxpy");
  Results.expectEqual(DeviceY.read(), Y);
  return Results.finish();
}
