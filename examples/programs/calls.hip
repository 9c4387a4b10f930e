// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that call: a function by name, functions through pointers, and one
// kernel that does not, so that the two kinds meet in one code object.
#include "Check.h"

using Function = unsigned (*)(unsigned, unsigned);

__host__ __device__ __attribute__((noinline)) unsigned
scramble(unsigned Value, unsigned Rounds) {
  for (unsigned I = 0; I < Rounds; ++I)
    Value = (Value ^ Value >> 13) * 0x5bd1e995;
  return Value;
}

__host__ __device__ __attribute__((noinline)) unsigned count(unsigned Value,
                                                             unsigned Bits) {
  return Value + __builtin_popcount(Value & ((1u << Bits) - 1));
}

// Not constant, so the compiler cannot know what is called.
__device__ Function Functions[] = {scramble, count};

__global__ void callByName(unsigned *Data, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = scramble(Data[I], I % 5);
}

__global__ void callThroughPointer(unsigned *Data, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  // Lanes of one wave call different functions.
  if (I < Count)
    Data[I] = Functions[I % 3 == 0](Data[I], 1 + I % 7);
}

__global__ void callNothing(unsigned *Data, unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = Data[I] * 7 + I;
}

int main(int Argc, char **Argv) {
  const unsigned Count = 5003 * timesUsual(Argc, Argv);
  constexpr unsigned GroupSize = 128;
  Random Input(15);
  std::vector<unsigned> Values(Count);
  for (unsigned &Value : Values)
    Value = unsigned(Input.next());

  const DeviceArray<unsigned> Data(Values);
  const unsigned Groups = groupsFor(Count, GroupSize);
  callByName<<<Groups, GroupSize>>>(Data.get(), Count);
  callThroughPointer<<<Groups, GroupSize>>>(Data.get(), Count);
  callNothing<<<Groups, GroupSize>>>(Data.get(), Count);

  for (unsigned I = 0; I < Count; ++I) {
    unsigned Value = scramble(Values[I], I % 5);
    Value = I % 3 == 0 ? count(Value, 1 + I % 7) : scramble(Value, 1 + I % 7);
    Values[I] = Value * 7 + I;
  }
  Verdict Results("calls");
  Results.expectEqual(Data.read(), Values);
  return Results.finish();
}
