// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same private memory through buffer and through flat instructions, which
// have to agree where each lane's words are. Compiled without optimisation.
#include "Check.h"

#include <vector>

__device__ __noinline__ void increment(int *Generic) { *Generic += 1; }

__global__ void fill(int *Bad) {
  int Private[20];
  int Lane = blockIdx.x * blockDim.x + threadIdx.x;
  for (int I = 0; I < 20; ++I)
    Private[I] = Lane * 100 + I;
  for (int I = 0; I < 20; I += 2)
    increment(&Private[I]);
  int Errors = 0;
  for (int I = 0; I < 20; ++I)
    Errors += Private[I] != Lane * 100 + I + (I % 2 == 0);
  Bad[Lane] = Errors;
}

int main() {
  const int N = 2 * 160;
  int *Bad;
  check(hipMalloc(&Bad, N * 4), "hipMalloc");
  fill<<<2, 160>>>(Bad);
  std::vector<int> Host(N, -1);
  check(hipMemcpy(Host.data(), Bad, N * 4, hipMemcpyDeviceToHost), "copy out");
  for (int I = 0; I < N; ++I)
    check(Host[I] == 0, "private memory of lane", I);
  return verdict();
}
