// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same kernel with little LDS, and with all that there is; each writes
// every byte of it.
#include "device/Check.h"

#include <vector>

constexpr unsigned Groups = 3, GroupSize = 256;

/// A loop that lanes leave one after the other.
__global__ void steps(uint32_t *To, unsigned Words) {
  extern __shared__ uint32_t Words32[];
  for (unsigned I = threadIdx.x; I < Words; I += blockDim.x)
    Words32[I] = 0xabcd0000 + I;
  __syncthreads();
  uint32_t Sum = 0;
  for (unsigned I = 0; I < threadIdx.x % 7; ++I)
    Sum += Words32[(threadIdx.x + I * I) % Words] & 0xffff;
  __syncthreads();
  bool IsWhole = true;
  for (unsigned I = threadIdx.x; I < Words; I += blockDim.x)
    IsWhole &= Words32[I] == 0xabcd0000 + I;
  To[blockIdx.x * blockDim.x + threadIdx.x] = IsWhole ? Sum : ~0u;
}

int main() {
  void *Device = nullptr;
  std::vector<uint32_t> Numbers(Groups * GroupSize);
  check(hipMalloc(&Device, Numbers.size() * sizeof(uint32_t)), "hipMalloc");
  for (unsigned Bytes : {1020u, 65536u}) {
    const unsigned Words = Bytes / 4;
    steps<<<Groups, GroupSize, Bytes>>>(static_cast<uint32_t *>(Device), Words);
    check(hipMemcpy(Numbers.data(), Device, Numbers.size() * sizeof(uint32_t),
                    hipMemcpyDeviceToHost),
          "hipMemcpy");
    for (unsigned N = 0; N != Numbers.size(); ++N) {
      uint32_t Sum = 0;
      for (unsigned I = 0, Item = N % GroupSize; I < Item % 7; ++I)
        Sum += (Item + I * I) % Words;
      check(Numbers[N] == Sum, "number", N);
    }
  }
  return verdict();
}
