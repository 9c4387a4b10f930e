// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative launches: every workgroup of the grid waits for all others, as
// often as it likes. Grids that a device cannot hold at once are refused.
#include "Check.h"

#include <hip/hip_cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

/// Each round reads what the next workgroup wrote in the round before.
__global__ void rotate(int *A, int *B, int N, int Rounds) {
  cg::grid_group Grid = cg::this_grid();
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  A[I] = I;
  for (int R = 0; R < Rounds; ++R) {
    Grid.sync();
    int *From = R % 2 ? B : A, *To = R % 2 ? A : B;
    To[I] = From[(I + blockDim.x) % N];
  }
}

static void run(int Blocks, int Threads, int Rounds, hipStream_t Stream) {
  int N = Blocks * Threads;
  int *A, *B;
  check(hipMalloc(&A, N * 4), "hipMalloc");
  check(hipMalloc(&B, N * 4), "hipMalloc");
  void *Arguments[] = {&A, &B, &N, &Rounds};
  check(hipLaunchCooperativeKernel((void *)rotate, dim3(Blocks), dim3(Threads),
                                   Arguments, 0, Stream),
        "hipLaunchCooperativeKernel");
  check(hipStreamSynchronize(Stream), "hipStreamSynchronize");
  std::vector<int> Result(N);
  check(hipMemcpy(Result.data(), Rounds % 2 ? B : A, N * 4,
                  hipMemcpyDeviceToHost),
        "copy out");
  for (int I = 0; I < N; ++I)
    if (Result[I] != (I + Rounds * Threads) % N) {
      check(false, "rotation", I);
      break;
    }
  hipFree(A);
  hipFree(B);
}

int main() {
  int Possible = 0;
  check(
      hipDeviceGetAttribute(&Possible, hipDeviceAttributeCooperativeLaunch, 0),
      "attribute");
  check(Possible == 1, "cooperative launch is possible");
  run(1, 64, 3, 0);
  run(40, 128, 5, 0);
  hipStream_t Stream;
  check(hipStreamCreate(&Stream), "hipStreamCreate");
  run(7, 1000, 4, Stream);
  check(hipStreamDestroy(Stream), "hipStreamDestroy");

  int PerUnit = 0;
  hipDeviceProp_t Properties;
  check(hipGetDeviceProperties(&Properties, 0), "properties");
  check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&PerUnit, rotate, 256, 0),
        "occupancy");
  int Most = PerUnit * Properties.multiProcessorCount;
  run(Most, 256, 2, 0);
  int N = 0, Rounds = 0, *Nothing = nullptr;
  void *Arguments[] = {&Nothing, &Nothing, &N, &Rounds};
  check(hipLaunchCooperativeKernel((void *)rotate, dim3(Most + 1), dim3(256),
                                   Arguments, 0,
                                   0) == hipErrorCooperativeLaunchTooLarge,
        "a grid too large is refused");
  return verdict();
}
