// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups in a hash table that is nearly empty: the loop over its slots
// usually ends at once.
#include "Input.h"

constexpr unsigned Slots = 1 << 14;

__host__ __device__ unsigned slotOf(unsigned Key) {
  return Key * 2654435761u & (Slots - 1);
}

__global__ __launch_bounds__(256) void lookUp(const unsigned *Keys,
                                              const unsigned *Values,
                                              const unsigned *Wanted,
                                              unsigned *Out, int PerLane) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Sum = 0, Misses = 0;
  for (int I = 0; I < PerLane; ++I) {
    const unsigned Key = Wanted[I * Lanes + Lane];
    for (unsigned Slot = slotOf(Key);; Slot = (Slot + 1) & (Slots - 1)) {
      if (Keys[Slot] == Key) {
        Sum += Values[Slot];
        break;
      }
      if (Keys[Slot] == 0) {
        ++Misses;
        break;
      }
    }
  }
  Out[Lane] = Sum * 31 + Misses;
}

int main() {
  constexpr unsigned PerLane = 32, Entries = Slots / 10;
  std::vector<unsigned> Keys(Slots), Values(Slots), Known;
  for (unsigned Number : numbersBelow(Entries, 1ull << 32, 3)) {
    const unsigned Key = Number | 1;
    unsigned Slot = slotOf(Key);
    while (Keys[Slot])
      Slot = (Slot + 1) & (Slots - 1);
    Keys[Slot] = Key;
    Values[Slot] = unsigned(Known.size());
    Known.push_back(Key);
  }
  std::vector<unsigned> Wanted = numbersBelow(Lanes * PerLane, Entries, 4);
  for (unsigned &Key : Wanted)
    Key = Known[Key];
  const DeviceArray<unsigned> DeviceKeys(Keys), DeviceValues(Values),
      DeviceWanted(Wanted), Out(Lanes);
  lookUp<<<Groups, GroupSize>>>(DeviceKeys.get(), DeviceValues.get(),
                                DeviceWanted.get(), Out.get(), PerLane);
  printDigest("hash-probe", Out);
}
