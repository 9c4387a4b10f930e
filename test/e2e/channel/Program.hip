// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of which a tool is sent records.
//   one-wave      of one lane
//   many-waves    20,000 of them
//   million-waves 1,048,576 of them
//   lds           all that a workgroup can have
//   persistent    ends when a tool has told that something has arrived
//   _exit         by that call, with a kernel that may still run
//   trap          in the middle of a kernel
//   endless       by exit(), with a kernel that sends and never ends
#include "../device/Check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

/// Set by the tool.
extern "C" __attribute__((visibility("default"))) int ToldByTool = 0;

__global__ void collatzSteps(unsigned *Steps, unsigned N) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned Count = 0;
  for (unsigned long long X = I + 1; X != 1; ++Count)
    X = X % 2 ? 3 * X + 1 : X / 2;
  Steps[I] = Count;
}

__global__ void countLanes(unsigned *Sum) {
  if (threadIdx.x % 64 == 0)
    atomicAdd(Sum, 64);
}

__global__ void __launch_bounds__(1024) reverse(unsigned *Data) {
  __shared__ unsigned All[16 * 1024];
  for (unsigned I = threadIdx.x; I < 16 * 1024; I += blockDim.x)
    All[I] = Data[I];
  __syncthreads();
  for (unsigned I = threadIdx.x; I < 16 * 1024; I += blockDim.x)
    Data[I] = All[16 * 1024 - 1 - I];
}

__global__ void runUntil(volatile unsigned *Stop, unsigned *Ended) {
  while (!*Stop)
    ;
  if (threadIdx.x == 0)
    atomicAdd(Ended, 1);
}

__global__ void stopHere(unsigned *Data) {
  Data[threadIdx.x] = threadIdx.x;
  if (Data[threadIdx.x] == 7)
    __builtin_trap();
}

static unsigned *memory(size_t Count) {
  unsigned *Data = nullptr;
  check(hipHostMalloc(&Data, Count * sizeof(unsigned), 0), "hipHostMalloc");
  std::memset(Data, 0, Count * sizeof(unsigned));
  return Data;
}

static void checkCollatz(unsigned Blocks, unsigned Lanes, unsigned N) {
  unsigned *Steps = memory(N);
  collatzSteps<<<Blocks, Lanes>>>(Steps, N);
  check(hipDeviceSynchronize(), "collatzSteps");
  for (unsigned I = 0; I < N; ++I) {
    unsigned Count = 0;
    for (unsigned long long X = I + 1; X != 1; ++Count)
      X = X % 2 ? 3 * X + 1 : X / 2;
    check(Steps[I] == Count, "steps", I);
  }
}

int main(int NumArguments, char **Arguments) {
  const char *Mode = NumArguments > 1 ? Arguments[1] : "";
  auto is = [&](const char *Name) { return !std::strcmp(Mode, Name); };
  if (is("one-wave")) {
    checkCollatz(1, 1, 1);
    checkCollatz(1, 37, 30);
  } else if (is("many-waves") || is("million-waves")) {
    const unsigned Groups = is("many-waves") ? 5000 : 1 << 18;
    unsigned *Sum = memory(1);
    countLanes<<<Groups, 256>>>(Sum);
    check(hipDeviceSynchronize(), "countLanes");
    check(*Sum == Groups * 256, "sum", *Sum);
  } else if (is("lds")) {
    unsigned *Data = memory(16 * 1024);
    for (unsigned I = 0; I < 16 * 1024; ++I)
      Data[I] = I;
    reverse<<<1, 1024>>>(Data);
    check(hipDeviceSynchronize(), "reverse");
    for (unsigned I = 0; I < 16 * 1024; ++I)
      check(Data[I] == 16 * 1024 - 1 - I, "reversed", I);
  } else if (is("persistent")) {
    unsigned *Stop = memory(2);
    runUntil<<<4, 128>>>(Stop, Stop + 1);
    while (!__atomic_load_n(&ToldByTool, __ATOMIC_ACQUIRE))
      ::usleep(100);
    __atomic_store_n(Stop, 1, __ATOMIC_RELEASE);
    check(hipDeviceSynchronize(), "runUntil");
    check(Stop[1] == 4, "ended", Stop[1]);
  } else if (is("_exit")) {
    unsigned *Steps = memory(4096);
    collatzSteps<<<64, 64>>>(Steps, 4096);
    check(hipDeviceSynchronize(), "collatzSteps");
    collatzSteps<<<64, 64>>>(Steps, 4096);
    ::_exit(verdict() ? 1 : 3);
  } else if (is("endless")) {
    unsigned *Stop = memory(2);
    runUntil<<<4, 128>>>(Stop, Stop + 1);
    while (!__atomic_load_n(&ToldByTool, __ATOMIC_ACQUIRE))
      ::usleep(100);
    std::exit(3);
  } else if (is("trap")) {
    unsigned *Data = memory(64);
    stopHere<<<1, 64>>>(Data);
    check(hipDeviceSynchronize(), "stopHere");
  }
  return verdict();
}
