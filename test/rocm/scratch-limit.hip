// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime takes scratch back from queues that work, when the program lowers
// the limit for what they may keep; kernels that need it get it again.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

static void check(hipError_t Status, const char *What) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hipGetErrorString(Status));
  std::exit(1);
}
#define CHECK(CALL) check(CALL, #CALL)

static constexpr unsigned N = 1024, Words = 2000;

/// Indexed at run time, so the array is in scratch.
__global__ void turn(unsigned *Data, unsigned Round) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  volatile unsigned Values[Words];
  for (unsigned J = 0; J < Words; J += 37)
    Values[J] = Data[I] + J;
  Data[I] = Values[(I + Round) % 54 * 37] + 1;
}

static size_t freeBytes() {
  size_t Free, Total;
  CHECK(hipMemGetInfo(&Free, &Total));
  return Free;
}

static size_t limit(hipLimit_t Which) {
  size_t Value;
  CHECK(hipDeviceGetLimit(&Value, Which));
  return Value;
}

int main() {
  unsigned *Data;
  CHECK(hipHostMalloc(reinterpret_cast<void **>(&Data), N * sizeof(*Data), 0));
  unsigned Expected[N] = {};
  for (unsigned I = 0; I != N; ++I)
    Data[I] = 0;
  hipStream_t Streams[2];
  for (hipStream_t &Stream : Streams)
    CHECK(hipStreamCreate(&Stream));
  unsigned Round = 0;
  auto Run = [&](const char *When) {
    turn<<<N / 64, 64, 0, Streams[Round % 2]>>>(Data, Round);
    CHECK(hipDeviceSynchronize());
    for (unsigned I = 0; I != N; ++I) {
      Expected[I] += (I + Round) % 54 * 37 + 1;
      if (Data[I] != Expected[I]) {
        std::printf("%s: element %u is wrong\n", When, I);
        std::exit(1);
      }
    }
    ++Round;
  };
  const size_t Most = limit(hipExtLimitScratchMax);
  for (int Times = 0; Times != 3; ++Times) {
    Run("with scratch of its own");
    Run("with scratch of its own, once more");
    const size_t Kept = freeBytes();
    CHECK(hipDeviceSetLimit(hipExtLimitScratchCurrent,
                            limit(hipExtLimitScratchMin)));
    const size_t Left = freeBytes();
    std::printf("free: %zu MiB, then %zu MiB\n", Kept >> 20, Left >> 20);
    if (Left <= Kept) {
      std::printf("nothing was taken back\n");
      return 1;
    }
    Run("with scratch for one launch");
    Run("with scratch for one launch, on the other queue");
    CHECK(hipDeviceSetLimit(hipExtLimitScratchCurrent, Most));
  }
  return 0;
}
