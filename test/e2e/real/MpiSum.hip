// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of MPI whose ranks compute on the GPU and add up what they have.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <vector>

__global__ void square(unsigned *Numbers, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Numbers[I] *= Numbers[I];
}

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  int Rank = 0, Ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  const unsigned Count = 100 * (Rank + 1);
  std::vector<unsigned> Host(Count, Rank + 1);
  unsigned *Device = nullptr;
  bool Failed = hipMalloc(&Device, Count * sizeof(unsigned)) != hipSuccess;
  Failed |= hipMemcpy(Device, Host.data(), Count * sizeof(unsigned),
                      hipMemcpyHostToDevice) != hipSuccess;
  for (int I = 0; I < 3; ++I) {
    square<<<(Count + 63) / 64, 64>>>(Device, Count);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Failed |= hipMemcpy(Host.data(), Device, Count * sizeof(unsigned),
                      hipMemcpyDeviceToHost) != hipSuccess;
  unsigned long long Own = Failed, Sum = 0, Wanted = 0;
  for (unsigned Number : Host)
    Own += Number;
  MPI_Reduce(&Own, &Sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for (unsigned N = 1; N <= unsigned(Ranks); ++N)
    Wanted += 100ull * N * (N * N * N * N * N * N * N * N);
  if (Rank == 0)
    std::printf("%d ranks: %s\n", Ranks, Sum == Wanted ? "right" : "WRONG");
  MPI_Finalize();
  return Rank == 0 && Sum != Wanted;
}
