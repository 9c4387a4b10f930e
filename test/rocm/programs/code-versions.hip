// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same kernels in code objects of three versions, which find what the
// runtime tells them in different places: sizes, and the heap. Compiled once
// with -DVERSION=N for each, and once without.
#include "Check.h"

static constexpr unsigned Lanes = 64, Words = 6;

void launchVersion4(Verdict &V);
void launchVersion5(Verdict &V);
void launchVersion6(Verdict &V);

#ifdef VERSION

#define NAMED2(Name, Number) Name##Number
#define NAMED1(Name, Number) NAMED2(Name, Number)
#define NAMED(Name) NAMED1(Name, VERSION)

__global__ void NAMED(sizesOf)(uint32_t *Out) {
  const uint32_t Group =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const uint32_t Lane =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const uint32_t Sizes[Words] = {gridDim.x,  gridDim.y,  gridDim.z,
                                 blockDim.x, blockDim.y, blockDim.z};
  Out += (Group * blockDim.x * blockDim.y * blockDim.z + Lane) * Words;
  for (unsigned I = 0; I != Words; ++I)
    Out[I] = Sizes[I];
}

__global__ void NAMED(allocatesIn)(uint32_t *Out) {
  const unsigned Lane = threadIdx.x;
  auto *Own = static_cast<uint32_t *>(malloc((Lane + 1) * sizeof(uint32_t)));
  for (unsigned I = 0; I <= Lane; ++I)
    Own[I] = Lane + I;
  __syncthreads();
  uint32_t Sum = 0;
  for (unsigned I = 0; I <= Lane; ++I)
    Sum += Own[I];
  Out[Lane] = Sum;
  free(Own);
}

void NAMED(launchVersion)(Verdict &V) {
  const dim3 Grid(2, 3, 2), Group(4, 2, 5);
  const uint32_t Sizes[Words] = {Grid.x,  Grid.y,  Grid.z,
                                 Group.x, Group.y, Group.z};
  std::vector<uint32_t> Expected(2 * 3 * 2 * 4 * 2 * 5 * Words);
  for (size_t I = 0; I != Expected.size(); ++I)
    Expected[I] = Sizes[I % Words];
  DeviceArray<uint32_t> Out(std::vector<uint32_t>(Expected.size(), 0));
  NAMED(sizesOf)<<<Grid, Group>>>(Out.get());
  V.expectEqual(Out.read(), Expected);

  std::vector<uint32_t> Sums(Lanes);
  for (unsigned Lane = 0; Lane != Lanes; ++Lane)
    Sums[Lane] = (Lane + 1) * Lane + (Lane + 1) * Lane / 2;
  DeviceArray<uint32_t> Sum(Lanes);
  NAMED(allocatesIn)<<<1, Lanes>>>(Sum.get());
  V.expectEqual(Sum.read(), Sums);
}

#else

int main() {
  Verdict V("code-versions");
  launchVersion4(V);
  launchVersion5(V);
  launchVersion6(V);
  return V.finish();
}

#endif
