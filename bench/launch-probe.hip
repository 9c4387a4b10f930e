// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a program's first dispatch and further ones are submitted, for
// bench/run.py: launch-probe TIMES launches a kernel of its own so often, and
// launch-probe FILE KERNEL one of a code object, once.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <hip/hip_runtime.h>

__global__ void nothing() {}

static void check(hipError_t Status) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "launch-probe: %s\n", hipGetErrorString(Status));
  std::exit(1);
}

static long long nanoseconds(clockid_t Clock) {
  timespec Time;
  clock_gettime(Clock, &Time);
  return Time.tv_sec * 1000000000ll + Time.tv_nsec;
}

static void launchFrom(const char *File, const char *Kernel) {
  hipModule_t Module;
  hipFunction_t Function;
  check(hipModuleLoad(&Module, File));
  check(hipModuleGetFunction(&Function, Module, Kernel));
  check(hipModuleLaunchKernel(Function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr,
                              nullptr));
  check(hipDeviceSynchronize());
}

int main(int Argc, char **Argv) {
  if (Argc > 2) {
    launchFrom(Argv[1], Argv[2]);
    return 0;
  }
  const int Times = Argc > 1 ? std::atoi(Argv[1]) : 0;
  check(hipSetDevice(0));
  // Of the same clock as the parent's, which started this process.
  const long long First = nanoseconds(CLOCK_MONOTONIC);
  nothing<<<1, 64>>>();
  check(hipDeviceSynchronize());
  const long long Second = nanoseconds(CLOCK_MONOTONIC);
  // Of this thread, which waits for nothing here; others may use the machine.
  const long long Before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  for (int I = 0; I < Times; ++I)
    nothing<<<1, 64>>>();
  const long long After = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  check(hipDeviceSynchronize());
  std::printf("{\"first\": %lld, \"second\": %lld, \"submitting\": %lld}\n",
              First, Second, After - Before);
  return 0;
}
