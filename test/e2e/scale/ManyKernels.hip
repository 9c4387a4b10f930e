// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some hundred kernels in one module, each launched once and each with a
// constant of its own. Prints the memory of the process when a quarter of them
// has run, and when all have.
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <hip/hip_runtime.h>
#include <unistd.h>
#include <utility>

constexpr unsigned Kernels = 400, Items = 64;

constexpr uint32_t factorOf(unsigned N) { return 2 * N + 3; }

/// Larger numbers make larger kernels, for a few sizes.
template <unsigned N> __global__ void step(uint32_t *Values) {
  uint32_t V = Values[threadIdx.x] * factorOf(N) + N;
  for (unsigned I = 0; I < N % 4; ++I)
    V = V * (V >> 7) ^ I;
  Values[threadIdx.x] = V;
}

template <unsigned... N>
constexpr auto listOf(std::integer_sequence<unsigned, N...>) {
  return std::array<void (*)(uint32_t *), sizeof...(N)>{&step<N>...};
}

static void check(hipError_t Status) {
  if (Status != hipSuccess) {
    std::printf("%s\n", hipGetErrorString(Status));
    std::exit(1);
  }
}

static void printMemory(unsigned Launched) {
  check(hipDeviceSynchronize());
  long All = 0, Resident = 0;
  std::ifstream("/proc/self/statm") >> All >> Resident;
  std::printf("%u kernels: %ld KiB\n", Launched,
              Resident * (sysconf(_SC_PAGESIZE) / 1024));
}

static uint32_t expected(uint32_t V) {
  for (unsigned N = 0; N < Kernels; ++N) {
    V = V * factorOf(N) + N;
    for (unsigned I = 0; I < N % 4; ++I)
      V = V * (V >> 7) ^ I;
  }
  return V;
}

int main() {
  const auto List = listOf(std::make_integer_sequence<unsigned, Kernels>());
  uint32_t Host[Items], *Device = nullptr;
  for (unsigned I = 0; I < Items; ++I)
    Host[I] = I;
  check(hipMalloc(&Device, sizeof(Host)));
  check(hipMemcpy(Device, Host, sizeof(Host), hipMemcpyHostToDevice));
  for (unsigned N = 0; N < Kernels; ++N) {
    List[N]<<<1, Items>>>(Device);
    if (N + 1 == Kernels / 4)
      printMemory(Kernels / 4);
  }
  printMemory(Kernels);
  check(hipMemcpy(Host, Device, sizeof(Host), hipMemcpyDeviceToHost));
  bool IsRight = true;
  for (unsigned I = 0; I < Items; ++I)
    IsRight &= Host[I] == expected(I);
  std::puts(IsRight ? "right" : "WRONG");
  return !IsRight;
}
