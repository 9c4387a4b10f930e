// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches each of the first kernels k0, k1, ... of a module once, as
// bench/many_kernels.py makes them, and looks at what they compute. Usage:
// many-kernels-of-a-module MODULE COUNT
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <hip/hip_runtime.h>
#include <string>

static void check(hipError_t Status) {
  if (Status != hipSuccess) {
    std::printf("%s\n", hipGetErrorString(Status));
    std::exit(1);
  }
}

/// KiB that the process has, and has had at most.
static long memory(const char *Name) {
  std::ifstream Status("/proc/self/status");
  for (std::string Line; std::getline(Status, Line);)
    if (Line.rfind(Name, 0) == 0)
      return std::atol(Line.c_str() + std::string(Name).size());
  return 0;
}

int main(int, char **Argv) {
  const unsigned Count = std::atoi(Argv[2]);
  const auto Begin = std::chrono::steady_clock::now();
  hipModule_t Module;
  check(hipModuleLoad(&Module, Argv[1]));
  uint32_t Host[64] = {}, *Device = nullptr;
  check(hipMalloc(&Device, sizeof(Host)));
  check(hipMemset(Device, 0, sizeof(Host)));
  void *Arguments[] = {&Device};
  long Before = 0;
  for (unsigned N = 0; N < Count; ++N) {
    hipFunction_t Kernel;
    check(hipModuleGetFunction(&Kernel, Module,
                               ("k" + std::to_string(N)).c_str()));
    check(hipModuleLaunchKernel(Kernel, 1, 1, 1, 64, 1, 1, 0, nullptr,
                                Arguments, nullptr));
    if (N + 1 == Count / 4) {
      check(hipDeviceSynchronize());
      Before = memory("VmRSS:");
    }
  }
  check(hipMemcpy(Host, Device, sizeof(Host), hipMemcpyDeviceToHost));
  uint32_t Wanted = 0;
  for (unsigned N = 0; N < Count; ++N)
    Wanted = (Wanted + (N + 100)) * 3 ^ N;
  bool IsRight = true;
  for (uint32_t Number : Host)
    IsRight &= Number == Wanted;
  const std::chrono::duration<double> Took =
      std::chrono::steady_clock::now() - Begin;
  std::printf("{\"right\": %s, \"seconds\": %.2f, \"peak_kib\": %ld, "
              "\"kib_per_kernel\": %.2f}\n",
              IsRight ? "true" : "false", Took.count(), memory("VmHWM:"),
              double(memory("VmRSS:") - Before) / (Count - Count / 4));
  return !IsRight;
}
