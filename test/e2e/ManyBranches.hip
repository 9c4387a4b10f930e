// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More branches outside of a loop than there are registers in which to note
// what waves see there, and more in the loop than lanes add to the sums at
// once. Workgroups have three dimensions.
#include "../../examples/programs/Check.h"

constexpr unsigned Count = 1000, Width = 12, Height = 8, Depth = 2,
                   GroupSize = Width * Height * Depth, Once = 40, InLoop = 11;

__host__ __device__ inline bool decides(unsigned Branch, uint32_t Item) {
  return (Item * 2654435761u >> (Branch % 16 + 4)) % (Branch + 2) == 0;
}
__host__ __device__ inline uint32_t rounds(uint32_t Item) { return Item % 5; }

/// Stores keep the compiler from making values of conditions.
__global__ void branches(uint32_t *To) {
  const uint32_t Item =
      threadIdx.x +
      Width * (threadIdx.y + Height * (threadIdx.z + Depth * blockIdx.x));
  if (Item >= Count)
    return;
#pragma clang loop unroll(full)
  for (unsigned Branch = 0; Branch < Once; ++Branch)
    if (decides(Branch, Item))
      To[Branch * Count + Item] = Item + Branch;
#pragma clang loop unroll(disable)
  for (uint32_t Round = 0; Round < rounds(Item); ++Round)
#pragma clang loop unroll(full)
    for (unsigned Branch = 0; Branch < InLoop; ++Branch)
      if (decides(Branch, Item + Round))
        To[(Once + Branch) * Count + Item] = Round + Branch;
}

int main() {
  const DeviceArray<uint32_t> Written(
      std::vector<uint32_t>((Once + InLoop) * Count));
  branches<<<groupsFor(Count, GroupSize), dim3(Width, Height, Depth)>>>(
      Written.get());
  std::vector<uint32_t> Expected((Once + InLoop) * Count);
  for (uint32_t Item = 0; Item < Count; ++Item) {
    for (unsigned Branch = 0; Branch < Once; ++Branch)
      if (decides(Branch, Item))
        Expected[Branch * Count + Item] = Item + Branch;
    for (uint32_t Round = 0; Round < rounds(Item); ++Round)
      for (unsigned Branch = 0; Branch < InLoop; ++Branch)
        if (decides(Branch, Item + Round))
          Expected[(Once + Branch) * Count + Item] = Round + Branch;
  }
  Verdict Results("many-branches");
  Results.expectEqual(Written.read(), Expected);
  return Results.finish();
}
