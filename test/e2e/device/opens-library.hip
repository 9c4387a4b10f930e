// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a kernel, opens the library that it is given, and launches the
// kernel three times more.
#include "Check.h"
#include <cstdio>
#include <dlfcn.h>

__global__ void step(unsigned *Values) {
  unsigned V = Values[threadIdx.x];
  for (unsigned I = 0; I < threadIdx.x % 5; ++I)
    V = V * (V >> 3) ^ I;
  Values[threadIdx.x] = V + 1;
}

int main(int, char **Arguments) {
  constexpr unsigned Items = 64, Launches = 4;
  unsigned *Values, Result[Items];
  check(hipMalloc(&Values, sizeof(Result)), "hipMalloc");
  check(hipMemset(Values, 1, sizeof(Result)), "hipMemset");
  for (unsigned Launch = 0; Launch < Launches; ++Launch) {
    if (Launch == 1)
      check(::dlopen(Arguments[1], RTLD_NOW | RTLD_GLOBAL), "dlopen");
    step<<<1, Items>>>(Values);
    check(hipDeviceSynchronize(), "launch");
  }
  check(hipMemcpy(Result, Values, sizeof(Result), hipMemcpyDeviceToHost),
        "hipMemcpy");
  unsigned long Hash = 0;
  for (unsigned Value : Result)
    Hash = 31 * Hash + Value;
  if (Failures)
    return verdict();
  std::printf("opens-library: digest %016lx PASS\n", Hash);
  return 0;
}
