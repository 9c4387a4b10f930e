// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that behaves as its argument says:
//   first | second   launches the kernel of that name; both compute the same
//   slow             the first one, which takes longer
//   aborts           the first one, then the program crashes
//   fails            the first one, and ends with 7
//   time             the first one, and prints something else in each run
//   nothing          prints what the others do, but launches no kernel
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <string>

extern "C" __global__ void first(volatile unsigned *Out, unsigned Turns) {
  for (unsigned Turn = 0; Turn < Turns; ++Turn)
    Out[threadIdx.x] = 1;
}

extern "C" __global__ void second(unsigned *Out) { Out[threadIdx.x] = 1; }

int main(int, char **Argv) {
  const std::string How = Argv[1];
  if (How == "nothing") {
    std::puts("1");
    return 0;
  }
  unsigned *Out = nullptr, Result = 0;
  if (hipMalloc(&Out, 256) != hipSuccess)
    return 1;
  if (How == "second")
    second<<<1, 64>>>(Out);
  else
    first<<<1, 64>>>(Out, How == "slow" ? 100 : 1);
  if (hipMemcpy(&Result, Out, 4, hipMemcpyDeviceToHost) != hipSuccess)
    return 1;
  std::printf("%u\n", Result);
  if (How == "time")
    std::printf(
        "time: %lld\n",
        (long long)std::chrono::system_clock::now().time_since_epoch().count());
  std::fflush(stdout);
  if (How == "aborts")
    std::abort();
  return How == "fails" ? 7 : 0;
}
