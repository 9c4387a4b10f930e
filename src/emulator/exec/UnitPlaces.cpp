// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/UnitPlaces.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace luthier::emulator {

static bool isIn(std::span<const uint32_t> Mask, unsigned Unit) {
  constexpr unsigned Bits = 32;
  return Mask.empty() ||
         (Unit / Bits < Mask.size() && (Mask[Unit / Bits] >> Unit % Bits & 1));
}

std::vector<ComputeUnit> computeUnits(const Target &T, unsigned Count,
                                      unsigned Engines, bool WholePairs,
                                      std::span<const uint32_t> Mask) {
  assert(T.HasWorkgroupPairs || !WholePairs);
  const unsigned Size = T.HasWorkgroupPairs ? 2 : 1;
  // A device of one unit runs workgroups that ask for two all the same.
  const unsigned Groups =
      WholePairs ? std::max(1u, Count / Size) : (Count + Size - 1) / Size;
  std::vector<ComputeUnit> Units;
  for (unsigned Half = 0; Half != (WholePairs ? 1 : Size); ++Half)
    for (unsigned Group = 0; Group != Groups; ++Group)
      if (const unsigned Unit = Group * Size + Half;
          Unit < Count && isIn(Mask, Unit))
        Units.push_back({Group % Engines, Group / Engines, Half});
  return Units;
}

UnitPlaces::UnitPlaces(size_t NumUnits, unsigned PerUnit)
    : AllTaken(~uint64_t(0) >> (64 - PerUnit)), Taken(NumUnits) {
  assert(PerUnit != 0 && PerUnit <= 64);
}

UnitPlaces::Place UnitPlaces::take(uint64_t Workgroup) {
  for (size_t Unit = Workgroup % Taken.size();;
       Unit = (Unit + 1) % Taken.size()) {
    uint64_t Old = Taken[Unit].load(std::memory_order_relaxed);
    while (Old != AllTaken) {
      const auto Number = unsigned(std::countr_one(Old));
      if (Taken[Unit].compare_exchange_weak(Old, Old | uint64_t(1) << Number,
                                            std::memory_order_relaxed))
        return {Unit, Number};
    }
  }
}

void UnitPlaces::leave(Place P) {
  Taken[P.Unit].fetch_and(~(uint64_t(1) << P.Number),
                          std::memory_order_relaxed);
}

} // namespace luthier::emulator
