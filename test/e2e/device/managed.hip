// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed memory, which the driver shares with the device page by page: what
// the runtime says of it, and what is true afterwards. With "freed", a kernel
// uses it once too often.
#include "Check.h"

#include <cstring>

static constexpr int Device = 0;
static constexpr unsigned N = 1 << 14;
static constexpr size_t Bytes = N * sizeof(int);

__managed__ int Total = 3;

__global__ void add(int *Memory, int Value) {
  Memory[blockIdx.x * blockDim.x + threadIdx.x] += Value;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    Total += Value;
}

static int attribute(hipDeviceAttribute_t Which) {
  int Value = -1;
  check(hipDeviceGetAttribute(&Value, Which, Device), "hipDeviceGetAttribute");
  return Value;
}

static int noted(const void *Memory, size_t Size, hipMemRangeAttribute Which) {
  int Value = -100;
  check(hipMemRangeGetAttribute(&Value, sizeof(Value), Which, Memory, Size),
        "hipMemRangeGetAttribute");
  return Value;
}

static void expect(const char *What, int Is, int Expected) {
  if (Is == Expected)
    return;
  std::printf("%s: %d, not %d\n", What, Is, Expected);
  std::exit(1);
}

static void advise(void *Memory, size_t Size, hipMemoryAdvise Advice) {
  check(hipMemAdvise(Memory, Size, Advice, Device), "hipMemAdvise");
}

/// The first half gets advice; the second does not.
static void testNotes(int *Memory) {
  const auto *Second = Memory + N / 2;
  advise(Memory, Bytes / 2, hipMemAdviseSetReadMostly);
  advise(Memory, Bytes / 2, hipMemAdviseSetPreferredLocation);
  expect("read mostly",
         noted(Memory, Bytes / 2, hipMemRangeAttributeReadMostly), 1);
  expect("read mostly behind it",
         noted(Second, Bytes / 2, hipMemRangeAttributeReadMostly), 0);
  expect("read mostly in all",
         noted(Memory, Bytes, hipMemRangeAttributeReadMostly), 0);
  expect("preferred",
         noted(Memory, Bytes / 2, hipMemRangeAttributePreferredLocation),
         Device);
  check(hipMemPrefetchAsync(Memory, Bytes, Device, nullptr),
        "hipMemPrefetchAsync");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  expect("prefetched",
         noted(Memory, Bytes, hipMemRangeAttributeLastPrefetchLocation),
         Device);
  check(hipMemPrefetchAsync(Memory, Bytes, hipCpuDeviceId, nullptr),
        "hipMemPrefetchAsync");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  expect("prefetched back",
         noted(Memory, Bytes, hipMemRangeAttributeLastPrefetchLocation),
         hipCpuDeviceId);
  advise(Memory, Bytes / 2, hipMemAdviseUnsetReadMostly);
  expect("not read mostly",
         noted(Memory, Bytes / 2, hipMemRangeAttributeReadMostly), 0);
}

int main(int, char **Arguments) {
  expect("managed memory", attribute(hipDeviceAttributeManagedMemory), 1);
  expect("concurrent access",
         attribute(hipDeviceAttributeConcurrentManagedAccess), 1);
  int *Memory;
  check(hipMallocManaged(reinterpret_cast<void **>(&Memory), Bytes,
                         hipMemAttachGlobal),
        "hipMallocManaged");
  std::memset(Memory, 0, Bytes);
  for (int Round = 1; Round <= 3; ++Round) {
    testNotes(Memory);
    add<<<N / 256, 256>>>(Memory, Round);
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    Memory[Round] += 100;
  }
  for (unsigned I = 0; I != N; ++I)
    expect("element", Memory[I], I >= 1 && I <= 3 ? 106 : 6);
  expect("variable", Total, 9);
  check(hipFree(Memory), "hipFree");
  std::printf("managed memory is well\n");
  std::fflush(stdout);
  if (Arguments[1]) {
    add<<<1, 64>>>(Memory, 1);
    std::printf("survived with %d\n", hipDeviceSynchronize());
  }
  return 0;
}
