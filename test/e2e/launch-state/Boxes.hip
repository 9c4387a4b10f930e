// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroups in three dimensions, of 420 work-items and a word of LDS for each;
// their kernel begins with loads of its arguments.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

__global__ void scale(const int *From, int *To, int By) {
  const int Item =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int I = blockIdx.x * 420 + Item;
  __shared__ int Words[420];
  Words[Item] = From[I];
  __syncthreads();
  // Of another wave, for most.
  const int Other = 419 - Item;
  To[I - Item + Other] = Words[Other] * By;
}

int main() {
  constexpr int Groups = 3, Count = 420 * Groups;
  std::vector<int> Host(Count);
  for (int I = 0; I < Count; ++I)
    Host[I] = I;
  int *From = nullptr, *To = nullptr;
  if (hipMalloc(&From, Count * sizeof(int)) ||
      hipMalloc(&To, Count * sizeof(int)) ||
      hipMemcpy(From, Host.data(), Count * sizeof(int), hipMemcpyHostToDevice))
    return 1;
  scale<<<Groups, dim3(7, 12, 5)>>>(From, To, 3);
  if (hipMemcpy(Host.data(), To, Count * sizeof(int), hipMemcpyDeviceToHost))
    return 1;
  for (int I = 0; I < Count; ++I)
    if (Host[I] != 3 * I)
      return 1;
  std::puts("passed");
}
