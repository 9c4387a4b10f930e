// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random kernel, instrumented in one way, original against instrumented.
#ifndef LUTHIER_TEST_RANDOM_RANDOMJUDGE_H
#define LUTHIER_TEST_RANDOM_RANDOMJUDGE_H

#include "RandomKernel.h"

namespace luthier::test {

enum class Way { Poison, Count, Stack };
enum class Language { IR, Assembly };

struct RandomCase {
  EngineTarget Target;
  Language From = Language::IR;
  Way How = Way::Poison;
  uint64_t Seed = 0;

  /// As the driver's options have it.
  std::string name() const;
};

struct RandomVerdict {
  /// Empty if all is well.
  std::string Problem;
  /// The original itself does not fit the device, or does not end.
  bool IsUnfit = false;
  /// The engine would not instrument it.
  std::optional<RefusalReason> Refused;
};

/// What the kernel is made from, or why it cannot be made.
std::string sourceOf(const RandomCase &Case);

RandomVerdict judgeRandom(const RandomCase &Case);

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMJUDGE_H
