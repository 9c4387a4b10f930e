// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that leave hooks no scalar register: one with branches in a loop that
// lanes leave one after the other, and one with branches beside loops.
#include "../../examples/programs/Check.h"

#ifdef __GFX10__
#define TAKE_ALL_SGPRS asm volatile("s_mov_b32 s105, 0" ::: "s105")
#else
#define TAKE_ALL_SGPRS asm volatile("s_mov_b32 s101, 0" ::: "s101")
#endif

__host__ __device__ inline uint32_t stepsFrom(uint32_t Value) {
  uint32_t Steps = 0;
  for (; Value > 1; ++Steps)
    Value = Value % 3 == 0 ? Value / 3 : 2 * Value / 3 + (Value & 1);
  return Steps;
}

__host__ __device__ inline uint32_t classOf(uint32_t Value) {
  uint32_t Class = Value;
  if (Value % 2)
    Class *= Value + 7;
  if (Value % 100 > 60)
    Class ^= Class >> 3;
  return Class;
}

__global__ void steps(uint32_t *To, uint32_t Count) {
  const uint32_t I = blockIdx.x * blockDim.x + threadIdx.x;
  TAKE_ALL_SGPRS;
  if (I < Count)
    To[I] = stepsFrom(I);
}

__global__ void classes(uint32_t *To, uint32_t Count) {
  const uint32_t I = blockIdx.x * blockDim.x + threadIdx.x;
  TAKE_ALL_SGPRS;
  if (I >= Count)
    return;
  uint32_t Class = I;
  if (I % 2) {
    TAKE_ALL_SGPRS;
    Class *= I + 7;
  }
  if (I % 100 > 60) {
    TAKE_ALL_SGPRS;
    Class ^= Class >> 3;
  }
  To[I] = Class;
}

int main() {
  constexpr unsigned Count = 1000, GroupSize = 128;
  const DeviceArray<uint32_t> Steps(Count), Classes(Count);
  steps<<<groupsFor(Count, GroupSize), GroupSize>>>(Steps.get(), Count);
  classes<<<groupsFor(Count, GroupSize), GroupSize>>>(Classes.get(), Count);
  std::vector<uint32_t> Expected(Count);
  Verdict Results("takes-all-sgprs");
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = stepsFrom(I);
  Results.expectEqual(Steps.read(), Expected);
  for (unsigned I = 0; I < Count; ++I)
    Expected[I] = classOf(I);
  Results.expectEqual(Classes.read(), Expected);
  return Results.finish();
}
