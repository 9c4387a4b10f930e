// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose number of iterations differs from lane to lane: EXEC shrinks to
// the slowest lane.
#include "Check.h"

__host__ __device__ inline unsigned collatzSteps(uint64_t Value) {
  unsigned Steps = 0;
  while (Value > 1) {
    if (Value % 2 == 0)
      Value /= 2;
    else
      Value = 3 * Value + 1;
    ++Steps;
  }
  return Steps;
}

__global__ void collatz(unsigned First, unsigned Count, unsigned *Steps) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Steps[I] = collatzSteps(First + I);
}

int main(int Argc, char **Argv) {
  // From zero, which takes no steps.
  constexpr unsigned First = 0;
  const unsigned Count = 12345 * timesUsual(Argc, Argv);
  constexpr unsigned GroupSize = 128;
  const DeviceArray<unsigned> DeviceSteps(Count);
  collatz<<<groupsFor(Count, GroupSize), GroupSize>>>(First, Count,
                                                      DeviceSteps.get());

  std::vector<unsigned> Expected(Count);
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = collatzSteps(First + I);
  Verdict Results("collatz");
  Results.expectEqual(DeviceSteps.read(), Expected);
  return Results.finish();
}
