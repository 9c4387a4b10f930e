// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tiled matrix product: two tiles in LDS, barriers, a loop over tiles, and
// no side of the matrices a multiple of the tile.
#include "Check.h"

constexpr unsigned Tile = 16;

/// C (Rows x Columns) = A (Rows x Inner) * B (Inner x Columns), row major.
__global__ void matmul(const float *A, const float *B, float *C, unsigned Rows,
                       unsigned Inner, unsigned Columns) {
  __shared__ float TileA[Tile][Tile];
  __shared__ float TileB[Tile][Tile];
  const unsigned X = threadIdx.x, Y = threadIdx.y;
  const unsigned Row = blockIdx.y * Tile + Y;
  const unsigned Column = blockIdx.x * Tile + X;
  float Sum = 0;
  for (unsigned Start = 0; Start < Inner; Start += Tile) {
    // Zeros outside the matrices leave the sum as it is.
    TileA[Y][X] =
        Row < Rows && Start + X < Inner ? A[Row * Inner + Start + X] : 0.0f;
    TileB[Y][X] = Start + Y < Inner && Column < Columns
                      ? B[(Start + Y) * Columns + Column]
                      : 0.0f;
    __syncthreads();
    for (unsigned K = 0; K < Tile; ++K)
      Sum = fmaf(TileA[Y][K], TileB[K][X], Sum);
    __syncthreads();
  }
  if (Row < Rows && Column < Columns)
    C[Row * Columns + Column] = Sum;
}

int main(int Argc, char **Argv) {
  const unsigned Rows = 150 * timesUsual(Argc, Argv);
  constexpr unsigned Inner = 110, Columns = 130;
  Random Input(3);
  const std::vector<float> A = Input.uniform(Rows * Inner, -1, 1);
  const std::vector<float> B = Input.uniform(Inner * Columns, -1, 1);

  const DeviceArray<float> DeviceA(A), DeviceB(B), DeviceC(Rows * Columns);
  const dim3 Groups(groupsFor(Columns, Tile), groupsFor(Rows, Tile));
  matmul<<<Groups, dim3(Tile, Tile)>>>(DeviceA.get(), DeviceB.get(),
                                       DeviceC.get(), Rows, Inner, Columns);

  // The device's order of additions, so every bit is the same.
  std::vector<float> Expected(Rows * Columns, 0);
  for (unsigned Row = 0; Row < Rows; ++Row)
    for (unsigned K = 0; K < Inner; ++K)
      for (unsigned Column = 0; Column < Columns; ++Column) {
        float &Sum = Expected[Row * Columns + Column];
        Sum = std::fmaf(A[Row * Inner + K], B[K * Columns + Column], Sum);
      }
  Verdict Results("matmul");
  Results.expectEqual(DeviceC.read(), Expected);
  return Results.finish();
}
