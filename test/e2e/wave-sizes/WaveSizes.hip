// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernel fill of each of the code objects given.
#include "../device/Check.h"

#include <string>
#include <vector>

extern "C" __global__ void fill(uint32_t *To) {
  To[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + warpSize;
}

int main(int Count, char **Arguments) {
  constexpr unsigned Groups = 4, GroupSize = 64;
  for (int I = 1; I < Count; ++I) {
    hipModule_t Module;
    check(hipModuleLoad(&Module, Arguments[I]), "hipModuleLoad");
    hipFunction_t Kernel;
    check(hipModuleGetFunction(&Kernel, Module, "fill"),
          "hipModuleGetFunction");
    std::vector<uint32_t> Numbers(Groups * GroupSize);
    void *Device = nullptr;
    check(hipMalloc(&Device, Numbers.size() * sizeof(uint32_t)), "hipMalloc");
    void *Parameters[] = {&Device};
    check(hipModuleLaunchKernel(Kernel, Groups, 1, 1, GroupSize, 1, 1, 0,
                                nullptr, Parameters, nullptr),
          "hipModuleLaunchKernel");
    check(hipMemcpy(Numbers.data(), Device, Numbers.size() * sizeof(uint32_t),
                    hipMemcpyDeviceToHost),
          "hipMemcpy");
    const unsigned Lanes = Numbers[0];
    std::printf("waves of %u\n", Lanes);
    for (unsigned N = 0; N != Numbers.size(); ++N)
      check(Numbers[N] == N % GroupSize + Lanes, "number", N);
  }
  return verdict();
}
