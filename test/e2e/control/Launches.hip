// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a small kernel as often as the argument says, in grids of three
// dimensions if there is a second one.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

__global__ void addOne(unsigned *Numbers) {
  const unsigned Block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  Numbers[Block * 64 + threadIdx.x] += 1;
}

static void check(hipError_t Status) {
  if (Status != hipSuccess) {
    std::printf("%s\n", hipGetErrorString(Status));
    std::exit(1);
  }
}

int main(int Argc, char **Argv) {
  const unsigned Launches = Argc > 1 ? std::atoi(Argv[1]) : 1;
  const dim3 Grid = Argc > 2 ? dim3(3, 4, 2) : dim3(1);
  const unsigned Items = Grid.x * Grid.y * Grid.z * 64;
  unsigned *Device = nullptr;
  check(hipMalloc(&Device, Items * sizeof(unsigned)));
  check(hipMemset(Device, 0, Items * sizeof(unsigned)));
  hipEvent_t Begin, End;
  check(hipEventCreate(&Begin));
  check(hipEventCreate(&End));
  check(hipEventRecord(Begin));
  for (unsigned I = 0; I < Launches; ++I)
    addOne<<<Grid, 64>>>(Device);
  check(hipEventRecord(End));
  check(hipEventSynchronize(End));
  float Milliseconds = 0;
  check(hipEventElapsedTime(&Milliseconds, Begin, End));
  bool IsRight = true;
  auto *Host = new unsigned[Items];
  check(
      hipMemcpy(Host, Device, Items * sizeof(unsigned), hipMemcpyDeviceToHost));
  for (unsigned I = 0; I < Items; ++I)
    IsRight &= Host[I] == Launches;
  std::puts(IsRight ? "right" : "WRONG");
  std::puts(Milliseconds > 0 ? "time passes" : "NO TIME");
  return !IsRight;
}
