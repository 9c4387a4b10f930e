// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One addition per work item; the last workgroup is partial.
#include "Check.h"

__global__ void vectorAdd(const float *A, const float *B, float *Sum,
                          unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Sum[I] = A[I] + B[I];
}

int main(int Argc, char **Argv) {
  const unsigned Count = 100003 * timesUsual(Argc, Argv);
  constexpr unsigned GroupSize = 256;
  Random Input(1);
  const std::vector<float> A = Input.uniform(Count, -100, 100);
  const std::vector<float> B = Input.uniform(Count, -1, 1);

  const DeviceArray<float> DeviceA(A), DeviceB(B), DeviceSum(Count);
  vectorAdd<<<groupsFor(Count, GroupSize), GroupSize>>>(
      DeviceA.get(), DeviceB.get(), DeviceSum.get(), Count);

  std::vector<float> Expected(Count);
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = A[I] + B[I];
  Verdict Results("vector-add");
  Results.expectEqual(DeviceSum.read(), Expected);
  return Results.finish();
}
