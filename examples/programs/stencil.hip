// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relaxation on a grid: two-dimensional ids, borders that are left alone, and
// two buffers that change places between launches.
#include "Check.h"

#include <utility>

__host__ __device__ inline float relaxed(const float *Grid, unsigned At,
                                         unsigned Width) {
  // No product is added to anything, so nothing can be fused.
  return 0.25f *
         (Grid[At - 1] + Grid[At + 1] + Grid[At - Width] + Grid[At + Width]);
}

__global__ void stencil(const float *In, float *Out, unsigned Width,
                        unsigned Height) {
  const unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= Width || Y >= Height)
    return;
  const unsigned At = Y * Width + X;
  const bool Inside = X > 0 && X + 1 < Width && Y > 0 && Y + 1 < Height;
  Out[At] = Inside ? relaxed(In, At, Width) : In[At];
}

int main(int Argc, char **Argv) {
  constexpr unsigned Width = 201, Steps = 12;
  const unsigned Height = 149 * timesUsual(Argc, Argv);
  const dim3 GroupSize(32, 4);
  const dim3 Groups(groupsFor(Width, GroupSize.x),
                    groupsFor(Height, GroupSize.y));
  Random Input(8);
  std::vector<float> Grid = Input.uniform(Width * Height, 0, 100);

  const DeviceArray<float> First(Grid), Second(Grid.size());
  const DeviceArray<float> *In = &First, *Out = &Second;
  for (unsigned Step = 0; Step < Steps; ++Step) {
    stencil<<<Groups, GroupSize>>>(In->get(), Out->get(), Width, Height);
    std::swap(In, Out);
  }

  std::vector<float> Next = Grid;
  for (unsigned Step = 0; Step < Steps; ++Step) {
    for (unsigned Y = 1; Y + 1 < Height; ++Y)
      for (unsigned X = 1; X + 1 < Width; ++X)
        Next[Y * Width + X] = relaxed(Grid.data(), Y * Width + X, Width);
    std::swap(Grid, Next);
  }
  Verdict Results("stencil");
  Results.expectEqual(In->read(), Grid);
  return Results.finish();
}
