// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that calls through pointers, nearly always the same function, and
// one that copies, nearly always as many bytes. Of the lanes, one in 64 is
// different.
#include "Check.h"

using Function = unsigned (*)(unsigned, unsigned);

__host__ __device__ __attribute__((noinline)) unsigned usual(unsigned Value,
                                                             unsigned Turn) {
  return Value * 5 + Turn;
}

__host__ __device__ __attribute__((noinline)) static unsigned
rare(unsigned Value, unsigned Turn) {
  return (Value ^ Value >> 13) * 0x5bd1e995 + Turn;
}

// Not constant, so the compiler cannot know what is called.
__device__ Function Functions[] = {usual, rare};

constexpr unsigned Lanes = 512, GroupSize = 128, Turns = 32, Rarely = 64;

__global__ void callThroughPointer(const unsigned *Which, unsigned *Data) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Value = Data[I];
  for (unsigned Turn = 0; Turn < Turns; ++Turn)
    Value = Functions[Which[I]](Value, Turn);
  Data[I] = Value;
}

__global__ void copyBytes(const unsigned *Sizes, unsigned *To,
                          const unsigned *From) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  __builtin_memcpy(To + 4 * I, From + 4 * I, Sizes[I]);
}

int main() {
  std::vector<unsigned> Which(Lanes), Sizes(Lanes), Values(Lanes);
  std::vector<unsigned> Copied(4 * Lanes), Source(4 * Lanes);
  Random Input(22);
  for (unsigned I = 0; I < Lanes; ++I) {
    Which[I] = I % Rarely == 7;
    Sizes[I] = I % Rarely == 7 ? 3 : 16;
    Values[I] = unsigned(Input.next());
  }
  for (unsigned &Word : Source)
    Word = unsigned(Input.next());

  const DeviceArray<unsigned> DeviceWhich(Which), DeviceSizes(Sizes),
      Data(Values), To(Copied), From(Source);
  callThroughPointer<<<Lanes / GroupSize, GroupSize>>>(DeviceWhich.get(),
                                                       Data.get());
  copyBytes<<<Lanes / GroupSize, GroupSize>>>(DeviceSizes.get(), To.get(),
                                              From.get());

  for (unsigned I = 0; I < Lanes; ++I) {
    for (unsigned Turn = 0; Turn < Turns; ++Turn)
      Values[I] = (Which[I] ? rare : usual)(Values[I], Turn);
    std::memcpy(&Copied[4 * I], &Source[4 * I], Sizes[I]);
  }
  Verdict Results("pointers");
  Results.expectEqual(Data.read(), Values);
  Results.expectEqual(To.read(), Copied);
  return Results.finish();
}
