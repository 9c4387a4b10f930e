// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transposition through LDS: two-dimensional workgroups and ids, and a padded
// tile.
#include "Check.h"

constexpr unsigned Tile = 32;
/// Rows of a tile that one pass moves.
constexpr unsigned Step = 8;

__global__ void transpose(const uint32_t *In, uint32_t *Out, unsigned Width,
                          unsigned Height) {
  // The extra column puts a column's elements into different LDS banks.
  __shared__ uint32_t Buffer[Tile][Tile + 1];
  const unsigned X = blockIdx.x * Tile + threadIdx.x;
  const unsigned Y = blockIdx.y * Tile + threadIdx.y;
  for (unsigned I = 0; I < Tile; I += Step)
    if (X < Width && Y + I < Height)
      Buffer[threadIdx.y + I][threadIdx.x] = In[(Y + I) * Width + X];
  __syncthreads();

  const unsigned OutX = blockIdx.y * Tile + threadIdx.x;
  const unsigned OutY = blockIdx.x * Tile + threadIdx.y;
  for (unsigned I = 0; I < Tile; I += Step)
    if (OutX < Height && OutY + I < Width)
      Out[(OutY + I) * Height + OutX] = Buffer[threadIdx.x][threadIdx.y + I];
}

int main(int Argc, char **Argv) {
  constexpr unsigned Width = 300;
  const unsigned Height = 205 * timesUsual(Argc, Argv);
  Random Input(4);
  std::vector<uint32_t> In(Width * Height);
  for (uint32_t &Value : In)
    Value = uint32_t(Input.next());

  const DeviceArray<uint32_t> DeviceIn(In), DeviceOut(In.size());
  const dim3 Groups(groupsFor(Width, Tile), groupsFor(Height, Tile));
  transpose<<<Groups, dim3(Tile, Step)>>>(DeviceIn.get(), DeviceOut.get(),
                                          Width, Height);

  std::vector<uint32_t> Expected(In.size());
  for (unsigned Y = 0; Y < Height; ++Y)
    for (unsigned X = 0; X < Width; ++X)
      Expected[X * Height + Y] = In[Y * Width + X];
  Verdict Results("transpose");
  Results.expectEqual(DeviceOut.read(), Expected);
  return Results.finish();
}
