// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine tests its own analyses in a kernel: what they call free is
// overwritten with garbage, and a kernel and tools that still compute the same
// show that they are right. The tool `scramble` asks for this.
#ifndef LUTHIER_REWRITE_SELFTEST_SELFTEST_H
#define LUTHIER_REWRITE_SELFTEST_SELFTEST_H

#include <cstdint>
#include <optional>
#include <vector>

namespace luthier {

struct SelfTestOptions {
  /// Unset: nothing is scrambled but what the task asks for.
  std::optional<uint64_t> ScrambleSeed;
  /// About how many registers at one point, chosen by chance, if more are free
  /// that hold values yet; 0 for all.
  uint32_t MaxScrambled = 0;
  /// For tests of the tests: units of RegisterSet that are overwritten although
  /// the application may need them.
  std::vector<unsigned> Planted = {};
};

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_SELFTEST_H
