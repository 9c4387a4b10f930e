// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot product in double precision: 64-bit floating point and a tree of
// additions in LDS.
#include "Check.h"

constexpr unsigned GroupSize = 256;

/// One partial sum per workgroup. The order of additions is fixed, so the
/// result does not depend on the schedule.
__global__ void dotProduct(const double *A, const double *B, double *Partial,
                           unsigned Count) {
  __shared__ double Sums[GroupSize];
  double Sum = 0;
  const unsigned Stride = gridDim.x * GroupSize;
  for (unsigned I = blockIdx.x * GroupSize + threadIdx.x; I < Count;
       I += Stride)
    Sum = fma(A[I], B[I], Sum);
  Sums[threadIdx.x] = Sum;
  for (unsigned Half = GroupSize / 2; Half > 0; Half /= 2) {
    __syncthreads();
    if (threadIdx.x < Half)
      Sums[threadIdx.x] += Sums[threadIdx.x + Half];
  }
  if (threadIdx.x == 0)
    Partial[blockIdx.x] = Sums[0];
}

/// What work item \p Item of the whole grid adds up.
static double itemSum(const std::vector<double> &A,
                      const std::vector<double> &B, unsigned Item,
                      unsigned Stride) {
  double Sum = 0;
  for (size_t I = Item; I < A.size(); I += Stride)
    Sum = std::fma(A[I], B[I], Sum);
  return Sum;
}

int main(int Argc, char **Argv) {
  const unsigned Times = timesUsual(Argc, Argv);
  const unsigned Count = 70001 * Times, Groups = 19 * Times;
  Random Input(10);
  std::vector<double> A(Count), B(Count);
  for (unsigned I = 0; I < Count; ++I) {
    // All 53 bits in use.
    A[I] = double(int64_t(Input.next())) * 0x1p-63;
    B[I] = double(int64_t(Input.next())) * 0x1p-63;
  }

  const DeviceArray<double> DeviceA(A), DeviceB(B), Partial(Groups);
  dotProduct<<<Groups, GroupSize>>>(DeviceA.get(), DeviceB.get(), Partial.get(),
                                    Count);

  // The same tree on the host: every bit is the same.
  std::vector<double> Expected(Groups);
  for (unsigned Group = 0; Group < Groups; ++Group) {
    double Sums[GroupSize];
    for (unsigned I = 0; I < GroupSize; ++I)
      Sums[I] = itemSum(A, B, Group * GroupSize + I, Groups * GroupSize);
    for (unsigned Half = GroupSize / 2; Half > 0; Half /= 2)
      for (unsigned I = 0; I < Half; ++I)
        Sums[I] += Sums[I + Half];
    Expected[Group] = Sums[0];
  }
  Verdict Results("dot-product");
  Results.expectEqual(Partial.read(), Expected);
  return Results.finish();
}
