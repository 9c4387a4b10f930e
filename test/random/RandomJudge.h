// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random kernel, instrumented in one way, original against instrumented.
#ifndef LUTHIER_TEST_RANDOM_RANDOMJUDGE_H
#define LUTHIER_TEST_RANDOM_RANDOMJUDGE_H

#include "Features.h"
#include "RandomCase.h"

namespace luthier::test {

struct RandomVerdict {
  /// Empty if all is well.
  std::string Problem;
  /// The original itself does not fit the device, or does not end.
  bool IsUnfit = false;
  /// The engine would not instrument it.
  std::optional<RefusalReason> Refused;
  /// What was judged.
  Features Has;
  /// The two code objects, as far as it got.
  Bytes Original, Instrumented;
};

/// What the kernel is made from, or why it cannot be made.
std::string sourceOf(const RandomCase &Case);

RandomVerdict judgeRandom(const RandomCase &Case);

/// One line: the case, and a hash of all that the engine makes of it, or why it
/// makes nothing. Nothing runs; addresses are fixed, so that two engines that
/// do the same give the same line.
std::string digestOf(const RandomCase &Case);

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMJUDGE_H
