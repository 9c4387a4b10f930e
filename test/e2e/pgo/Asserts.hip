// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with an assertion: its code object has the functions that say so,
// and one that does not return stands right before the kernel.
#include <cassert>
#include <cstdio>
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline, used)) void stop() {
  __asm__ volatile("s_trap 3");
  __builtin_unreachable();
}

__global__ void halves(unsigned *Of) {
  if (Of[threadIdx.x] == ~0u)
    stop();
  assert(Of[threadIdx.x] % 2 == 0);
  Of[threadIdx.x] /= 2;
}

int main() {
  constexpr unsigned Lanes = 100;
  unsigned Values[Lanes], *Of = nullptr;
  for (unsigned I = 0; I < Lanes; ++I)
    Values[I] = 2 * I;
  if (hipMalloc(&Of, sizeof(Values)) != hipSuccess ||
      hipMemcpy(Of, Values, sizeof(Values), hipMemcpyHostToDevice) !=
          hipSuccess)
    return 1;
  halves<<<1, Lanes>>>(Of);
  if (hipMemcpy(Values, Of, sizeof(Values), hipMemcpyDeviceToHost) !=
      hipSuccess)
    return 1;
  for (unsigned I = 0; I < Lanes; ++I)
    if (Values[I] != I)
      return 1;
  std::puts("PASS");
}
