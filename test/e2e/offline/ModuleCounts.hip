// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel collatzSteps of the code object given. Prints its result's sum
// and, if the code object has instr-count's variable, what that counted.
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK(Call)                                                            \
  if (hipError_t Error = (Call); Error != hipSuccess) {                        \
    std::printf("%s: %s\n", #Call, hipGetErrorString(Error));                  \
    return 1;                                                                  \
  }

int main(int, char **Arguments) {
  constexpr unsigned Groups = 5, GroupSize = 64;
  hipModule_t Module;
  CHECK(hipModuleLoad(&Module, Arguments[1]));
  hipFunction_t Kernel;
  CHECK(hipModuleGetFunction(&Kernel, Module, "collatzSteps"));
  std::vector<int> Steps(Groups * GroupSize);
  void *Device = nullptr;
  CHECK(hipMalloc(&Device, Steps.size() * sizeof(int)));
  void *Parameters[] = {&Device};
  CHECK(hipModuleLaunchKernel(Kernel, Groups, 1, 1, GroupSize, 1, 1, 0, nullptr,
                              Parameters, nullptr));
  CHECK(hipMemcpy(Steps.data(), Device, Steps.size() * sizeof(int),
                  hipMemcpyDeviceToHost));
  int Sum = 0;
  for (int Count : Steps)
    Sum += Count;
  std::printf("sum %d\n", Sum);

  hipDeviceptr_t Variable;
  size_t Size = 0;
  if (hipModuleGetGlobal(&Variable, &Size, Module, "Counts") != hipSuccess)
    return 0;
  // Of the first kernel: scalar and vector instructions of waves.
  uint64_t Counts[2] = {};
  CHECK(hipMemcpyDtoH(Counts, Variable, sizeof(Counts)));
  std::printf("counted %llu\n", (unsigned long long)(Counts[0] + Counts[1]));
  return 0;
}
