// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One load of each kind, on a line of its own that says what its addresses are.
#include "Check.h"

#define GLOBAL __attribute__((address_space(1)))
#define BUFFER_LOAD __builtin_amdgcn_raw_buffer_load_b32
#define LDS __attribute__((address_space(3)))

/// Whose memory the compiler does not know.
struct Place {
  const unsigned *Values;
};

__global__ void load(const unsigned *Data, const Place *Places, unsigned *To,
                     unsigned Count) {
  __shared__ unsigned Group[128];
  // The compiler makes no scalar loads of what is volatile.
  const auto *Now = (const volatile GLOBAL unsigned *)Data;
  auto *Shared = (volatile LDS unsigned *)Group;
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  Shared[threadIdx.x] = I;
  __syncthreads();
  // The last wave has 8 lanes here, and of the others every other one is left.
  if (I >= Count || I % 2)
    return;
  const volatile unsigned *Unknown = Places->Values; // scalar: always
  unsigned Sum = 0;
  Sum += Now[3];                         // global: always
  Sum += Now[I / warpSize];              // global: so far
  Sum += Now[I];                         // global: divergent
  Sum += Unknown[5];                     // flat: always
  Sum += Unknown[I / warpSize];          // flat: so far
  Sum += Unknown[I];                     // flat: divergent
  Sum += Shared[7];                      // LDS: always
  Sum += Shared[threadIdx.x / warpSize]; // LDS: so far
  Sum += Shared[threadIdx.x];            // LDS: divergent
  const auto Buffer = __builtin_amdgcn_make_buffer_rsrc(
      const_cast<unsigned *>(Data), 0, 4 * 1024, RESOURCE_FLAGS);
  const unsigned Same = I / warpSize * 4, Own = I * 4;
  Sum += BUFFER_LOAD(Buffer, Same, 0, 1); // buffer: so far
  Sum += BUFFER_LOAD(Buffer, Own, 0, 1);  // buffer: divergent
  if (Count == 12345)
    Sum += Now[I + 1]; // global: not executed
  To[I] = Sum;
}

int main() {
  constexpr unsigned Items = 1024, Count = 968;
  std::vector<unsigned> Values(Items);
  for (unsigned I = 0; I < Items; ++I)
    Values[I] = I;
  const DeviceArray<unsigned> Data(Values), To(std::vector<unsigned>(Items, 0));
  const DeviceArray<Place> Places(std::vector<Place>{{Data.get()}});
  load<<<Items / 128, 128>>>(Data.get(), Places.get(), To.get(), Count);
  hipDeviceProp_t Properties;
  CHECK_HIP(hipGetDeviceProperties(&Properties, 0));
  const unsigned Wave = Properties.warpSize;
  std::vector<unsigned> Expected(Items);
  for (unsigned I = 0; I < Count; I += 2)
    Expected[I] = 3 + 5 + 3 * (I / Wave) + 3 * I + (I / 128 * 128 + 7) +
                  (I / 128 * 128 + I % 128 / Wave) + I;
  Verdict Results("loads");
  Results.expectEqual(To.read(), Expected);
  return Results.finish();
}
