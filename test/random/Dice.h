// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same numbers on every machine, unlike the standard's distributions.
#ifndef LUTHIER_TEST_RANDOM_DICE_H
#define LUTHIER_TEST_RANDOM_DICE_H

#include <cstdint>
#include <random>

namespace luthier::test {

class Dice {
public:
  explicit Dice(uint64_t Seed) : Engine(Seed) {}
  /// 0 to \p Count - 1.
  unsigned below(unsigned Count) { return unsigned(Engine() % Count); }
  unsigned between(unsigned Least, unsigned Most) {
    return Least + below(Most - Least + 1);
  }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  uint32_t bits() { return uint32_t(Engine()); }

private:
  std::mt19937_64 Engine;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_DICE_H
