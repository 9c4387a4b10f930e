// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that lanes leave one after the other, in all orders, after no run and
// after many thousands, in whole waves and in parts of one.
#include "../../examples/programs/Check.h"

__host__ __device__ inline unsigned step(unsigned Value) {
  return Value * 1664525 + 1013904223;
}

__global__ void runEach(unsigned *Values, const unsigned *Runs,
                        unsigned Count) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  unsigned Value = Values[I], Left = Runs[I];
  if (Left) {
#pragma clang loop unroll(disable)
    do
      Value = step(Value);
    while (--Left);
  }
  Values[I] = Value;
}

int main() {
  constexpr unsigned GroupSize = 256, Count = 3 * GroupSize + 81;
  unsigned (*const Kinds[])(unsigned) = {
      [](unsigned I) { return I % 64; },
      [](unsigned I) { return 64 - I % 64; },
      [](unsigned I) { return I * 2654435761u >> 27; },
      [](unsigned) { return 0u; },
      [](unsigned I) { return I == 70 ? 20000u : I % 3; },
      // The last that a product of 32 bits has room for, and one more.
      [](unsigned I) { return 8190 + I % 3; },
      [](unsigned I) { return 9000 - I % 64; },
  };
  Random Input(7);
  Verdict Results("lanes-leave-loops");
  for (unsigned (*RunsOf)(unsigned) : Kinds) {
    std::vector<unsigned> Values(Count), Runs(Count);
    for (unsigned I = 0; I < Count; ++I) {
      Values[I] = unsigned(Input.next());
      Runs[I] = RunsOf(I);
    }
    const DeviceArray<unsigned> Data(Values), RunData(Runs);
    runEach<<<groupsFor(Count, GroupSize), GroupSize>>>(Data.get(),
                                                        RunData.get(), Count);
    for (unsigned I = 0; I < Count; ++I)
      for (unsigned Run = 0; Run < Runs[I]; ++Run)
        Values[I] = step(Values[I]);
    Results.expectEqual(Data.read(), Values);
  }
  return Results.finish();
}
