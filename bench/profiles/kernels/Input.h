// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels here share: input that is the same in every run, and a
// digest of all results, which is what builds are compared by.
#ifndef LUTHIER_BENCH_PROFILES_INPUT_H
#define LUTHIER_BENCH_PROFILES_INPUT_H

#include "Check.h"

constexpr unsigned GroupSize = 256, Groups = 8, Lanes = GroupSize * Groups;

/// Numbers below \p Bound.
inline std::vector<unsigned> numbersBelow(size_t Count, uint64_t Bound,
                                          uint64_t Seed) {
  Random Input(Seed);
  std::vector<unsigned> Numbers(Count);
  for (unsigned &Number : Numbers)
    Number = unsigned(Input.next() % Bound);
  return Numbers;
}

template <typename T>
void printDigest(const char *Program, const DeviceArray<T> &Results) {
  Verdict Digest(Program);
  Digest.addToDigest(Results.read());
  std::printf("%s: digest %016llx\n", Program,
              (unsigned long long)Digest.digest());
}

#endif // LUTHIER_BENCH_PROFILES_INPUT_H
