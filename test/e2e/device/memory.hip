// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device with 256 MiB: what it says it has, what becomes of allocations that
// do not fit, that freed memory can be had again, and that all this costs the
// host only what was touched.
#include "Check.h"

#include <algorithm>
#include <cstdlib>
#include <sys/resource.h>
#include <vector>

static const size_t MiB = 1 << 20;

__global__ void touch(char *Data, size_t Size) {
  for (size_t I = threadIdx.x * 4096; I < Size; I += blockDim.x * 4096)
    Data[I] = 1;
}

/// The device has addresses of its own for the host's memory.
static void testRegistration() {
  const int N = 5000;
  int *Host = (int *)std::malloc(N * 4 + 64) + 3, *Device = nullptr;
  for (int Round = 0; Round < 3; ++Round) {
    std::fill_n(Host, N, 0);
    check(hipHostRegister(Host, N * 4, hipHostRegisterMapped),
          "hipHostRegister");
    check(hipHostGetDevicePointer((void **)&Device, Host, 0),
          "hipHostGetDevicePointer");
    touch<<<1, 64>>>((char *)Device, N * 4);
    check(hipDeviceSynchronize(), "kernel on registered memory");
    check(Host[0] == 1 && Host[1024] == 1 && Host[1] == 0, "what it wrote");
    check(hipMemset(Device, 0x11, N * 4), "fill registered memory");
    check(hipDeviceSynchronize(), "fill");
    check(Host[0] == 0x11111111 && Host[N - 1] == 0x11111111, "filled");
    check(hipHostUnregister(Host), "hipHostUnregister");
  }
  std::free(Host - 3);
}

int main() {
  size_t Free = 0, Total = 0;
  check(hipMemGetInfo(&Free, &Total), "hipMemGetInfo");
  check(Total == 256 * MiB, "configured size", long(Total / MiB));
  check(Free <= Total, "free memory", long(Free / MiB));

  void *Large = nullptr;
  check(hipMalloc(&Large, 300 * MiB) == hipErrorOutOfMemory,
        "more than there is");
  (void)hipGetLastError();
  // The device goes on, and gives all it has in parts.
  std::vector<char *> Parts;
  for (void *Part; hipMalloc(&Part, 16 * MiB) == hipSuccess;)
    Parts.push_back((char *)Part);
  (void)hipGetLastError();
  check(Parts.size() >= 10 && Parts.size() <= 16, "parts", long(Parts.size()));
  touch<<<1, 64>>>(Parts[0], 16 * MiB);
  check(hipDeviceSynchronize(), "kernel");
  for (char *Part : Parts)
    check(hipFree(Part), "hipFree");
  check(hipMalloc(&Large, 128 * MiB), "memory that was freed");
  check(hipFree(Large), "hipFree");

  testRegistration();

  // Far below 1 GiB: the runtimes themselves need most of it.
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  check(Usage.ru_maxrss < 400 * 1024, "resident KiB", Usage.ru_maxrss);
  std::printf("peak %ld KiB\n", Usage.ru_maxrss);
  return verdict();
}
