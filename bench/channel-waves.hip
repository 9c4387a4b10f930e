// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For bench/channel.py: GROUPS workgroups of two waves on each device go
// TURNS times through a loop that does next to nothing. Prints how long all
// devices took, as JSON, and fails if one has computed something else.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

static constexpr unsigned Lanes = 128;

static void check(hipError_t Error, const char *What) {
  if (Error == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hipGetErrorString(Error));
  std::exit(1);
}

__global__ void turn(unsigned *Out, unsigned Turns) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned N = 0; N < Turns; ++N)
    X = X * 1664525 + 1013904223;
  Out[blockIdx.x * blockDim.x + threadIdx.x] = X;
}

int main(int NumArguments, char **Arguments) {
  if (NumArguments != 3)
    return 2;
  const unsigned Groups = std::atoi(Arguments[1]);
  const unsigned Turns = std::atoi(Arguments[2]);
  int NumDevices = 0;
  check(hipGetDeviceCount(&NumDevices), "hipGetDeviceCount");
  std::vector<unsigned *> Outs(NumDevices);
  for (int D = 0; D < NumDevices; ++D) {
    check(hipSetDevice(D), "hipSetDevice");
    check(hipHostMalloc(&Outs[D], Groups * Lanes * sizeof(unsigned), 0),
          "hipHostMalloc");
    turn<<<1, Lanes>>>(Outs[D], 1); // Loads and instruments the kernel.
    check(hipDeviceSynchronize(), "the first kernel");
  }
  const auto Begin = std::chrono::steady_clock::now();
  for (int D = 0; D < NumDevices; ++D) {
    check(hipSetDevice(D), "hipSetDevice");
    turn<<<Groups, Lanes>>>(Outs[D], Turns);
  }
  for (int D = 0; D < NumDevices; ++D) {
    check(hipSetDevice(D), "hipSetDevice");
    check(hipDeviceSynchronize(), "the kernel");
  }
  const std::chrono::duration<double> Took =
      std::chrono::steady_clock::now() - Begin;
  for (unsigned *Out : Outs)
    for (unsigned I = 0; I < Groups * Lanes; I += 997) {
      unsigned X = I;
      for (unsigned N = 0; N < Turns; ++N)
        X = X * 1664525 + 1013904223;
      if (Out[I] != X)
        return 1;
    }
  std::printf("{\"devices\": %d, \"seconds\": %.3f}\n", NumDevices,
              Took.count());
}
