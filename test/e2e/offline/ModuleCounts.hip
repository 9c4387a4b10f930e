// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel collatzSteps of the code object given. Prints its result's sum
// and, if the code object has the hooks' variables, what they counted.
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK(Call)                                                            \
  if (hipError_t Error = (Call); Error != hipSuccess) {                        \
    std::printf("%s: %s\n", #Call, hipGetErrorString(Error));                  \
    return 1;                                                                  \
  }

/// Words of a variable; false if there is none of that name.
static bool read(hipModule_t Module, const char *Name,
                 std::vector<uint64_t> &Words) {
  hipDeviceptr_t Variable;
  size_t Size = 0;
  if (hipModuleGetGlobal(&Variable, &Size, Module, Name) != hipSuccess)
    return false;
  Words.resize(Size / sizeof(uint64_t));
  return hipMemcpyDtoH(Words.data(), Variable, Size) == hipSuccess;
}

int main(int, char **Arguments) {
  constexpr unsigned Groups = 3, GroupSize = 128;
  constexpr unsigned DynamicBytes = (GroupSize + 1) * sizeof(int);
  hipModule_t Module;
  CHECK(hipModuleLoad(&Module, Arguments[1]));
  hipFunction_t Kernel;
  CHECK(hipModuleGetFunction(&Kernel, Module, "collatzSteps"));
  std::vector<int> Steps(Groups * GroupSize);
  void *Device = nullptr;
  CHECK(hipMalloc(&Device, Steps.size() * sizeof(int)));
  void *Parameters[] = {&Device};
  CHECK(hipModuleLaunchKernel(Kernel, Groups, 1, 1, GroupSize, 1, 1,
                              DynamicBytes, nullptr, Parameters, nullptr));
  CHECK(hipMemcpy(Steps.data(), Device, Steps.size() * sizeof(int),
                  hipMemcpyDeviceToHost));
  unsigned Sum = 0;
  for (unsigned I = 0; I != Steps.size(); ++I)
    Sum = Sum * 31 + Steps[I];
  std::printf("sum %u\n", Sum);

  std::vector<uint64_t> Executed, Begun, Wrong;
  // Managed, with a value to begin with, and zeros.
  if (!read(Module, "Executed", Executed) || !read(Module, "Begun", Begun) ||
      !read(Module, "Wrong", Wrong))
    return 0;
  std::printf("counted %llu, %llu after 1000, %llu wrong\n",
              (unsigned long long)Executed[0],
              (unsigned long long)Begun[0] - 1000,
              (unsigned long long)Wrong[0]);
  return 0;
}
