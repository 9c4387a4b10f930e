// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inclusive prefix sum in three launches: within workgroups, over their
// totals, and adding those. Barriers in a loop with a changing set of lanes.
#include "Check.h"

constexpr unsigned GroupSize = 256;

/// Sums within each workgroup; its total goes to \p Totals unless that is null.
__global__ void scanGroups(const unsigned *In, unsigned *Out, unsigned *Totals,
                           unsigned Count) {
  __shared__ unsigned Sums[GroupSize];
  const unsigned Lane = threadIdx.x;
  const unsigned I = blockIdx.x * GroupSize + Lane;
  Sums[Lane] = I < Count ? In[I] : 0;
  __syncthreads();
  for (unsigned Distance = 1; Distance < GroupSize; Distance *= 2) {
    const unsigned Before = Lane >= Distance ? Sums[Lane - Distance] : 0;
    __syncthreads();
    if (Lane >= Distance)
      Sums[Lane] += Before;
    __syncthreads();
  }
  if (I < Count)
    Out[I] = Sums[Lane];
  if (Totals && Lane == GroupSize - 1)
    Totals[blockIdx.x] = Sums[Lane];
}

__global__ void addTotals(unsigned *Out, const unsigned *Totals,
                          unsigned Count) {
  const unsigned I = blockIdx.x * GroupSize + threadIdx.x;
  if (blockIdx.x > 0 && I < Count)
    Out[I] += Totals[blockIdx.x - 1];
}

/// Totals are scanned in the same way while there are several.
static void scan(const unsigned *In, unsigned *Out, unsigned Count) {
  const unsigned Groups = groupsFor(Count, GroupSize);
  if (Groups == 1) {
    scanGroups<<<Groups, GroupSize>>>(In, Out, nullptr, Count);
    return;
  }
  const DeviceArray<unsigned> Totals(Groups);
  scanGroups<<<Groups, GroupSize>>>(In, Out, Totals.get(), Count);
  scan(Totals.get(), Totals.get(), Groups);
  addTotals<<<Groups, GroupSize>>>(Out, Totals.get(), Count);
}

int main(int Argc, char **Argv) {
  const unsigned Count = 50007 * timesUsual(Argc, Argv);
  Random Input(9);
  std::vector<unsigned> In(Count);
  // Sums wrap around, which is fine for unsigned numbers.
  for (unsigned &Value : In)
    Value = unsigned(Input.next() >> 40);

  const DeviceArray<unsigned> DeviceIn(In), DeviceOut(Count);
  scan(DeviceIn.get(), DeviceOut.get(), Count);

  std::vector<unsigned> Expected(Count);
  unsigned Sum = 0;
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = Sum += In[I];
  Verdict Results("prefix-scan");
  Results.expectEqual(DeviceOut.read(), Expected);
  return Results.finish();
}
