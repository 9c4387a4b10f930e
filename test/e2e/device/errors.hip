// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do what they must not, one per argument. A good kernel runs and
// a line is buffered before it: neither may be lost.
#include "Check.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

__global__ void good(int *Data) { Data[threadIdx.x] = threadIdx.x; }

__global__ void unmapped(int *Data) {
  int *Bad = threadIdx.x == 37 ? (int *)0x123456789000 : Data;
  Bad[threadIdx.x] = 1;
}

__global__ void null(int *Data) {
  if (Data[0] == 0)
    Data = nullptr;
  Data[1] = 1;
}

__global__ void freed(int *Data) { Data[threadIdx.x] = 1; }

__global__ void illegal(int *Data) {
  Data[0] = 1;
  asm volatile(".long 0xffffffff");
}

__global__ void trap(int *Data) {
  if (Data[threadIdx.x] == 5)
    __builtin_trap();
}

__global__ void misaligned(int *Data) {
  atomicAdd((int *)((char *)Data + 2), 1);
}

__global__ void nowhere(int *Data) {
  void (*Function)(int *) = (void (*)(int *))(0x123456000 + Data[0]);
  Function(Data);
}

int main(int, char **Arguments) {
  const std::string Mode = Arguments[1];
  int *Data, *Freed;
  check(hipMalloc(&Data, 256), "hipMalloc");
  check(hipMalloc(&Freed, 64 << 20), "hipMalloc");
  good<<<1, 64>>>(Data);
  check(hipDeviceSynchronize(), "good kernel");
  check(hipFree(Freed), "hipFree");
  std::printf("buffered text");
  if (Mode == "unmapped")
    unmapped<<<1, 64>>>(Data);
  else if (Mode == "null")
    null<<<1, 64>>>(Data);
  else if (Mode == "freed")
    freed<<<1, 64>>>(Freed);
  else if (Mode == "illegal")
    illegal<<<1, 64>>>(Data);
  else if (Mode == "trap")
    trap<<<1, 64>>>(Data);
  else if (Mode == "misaligned")
    misaligned<<<1, 64>>>(Data);
  else if (Mode == "nowhere")
    nowhere<<<1, 64>>>(Data);
  hipError_t Error = hipDeviceSynchronize();
  std::printf("survived with %d\n", Error);
  return 0;
}
