// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random kernel and the way in which it is instrumented, as options of
// random-kernels and as its output have them.
#ifndef LUTHIER_TEST_RANDOM_RANDOMCASE_H
#define LUTHIER_TEST_RANDOM_RANDOMCASE_H

#include "Targets.h"
#include "rewrite/Instrumenter.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace luthier::test {

enum class Language { IR, Assembly };

enum class Way {
  Scramble,   ///< What is free is overwritten.
  Count,      ///< Each instruction is counted.
  Blocks,     ///< The same, once for each block.
  Accumulate, ///< The same, in the wave until it ends.
  Stack,      ///< Hooks with an array of their own, at some instructions.
  Mixed,      ///< Hooks and arguments of all kinds, at points of all kinds.
  Scalars,    ///< Random computations of the wave, see RandomScalars.h.
};

struct RandomCase {
  EngineTarget Target;
  Language From = Language::IR;
  Way How = Way::Scramble;
  /// Unset: what the engine chooses.
  std::optional<StateValueArrayForm> Storage;
  RegisterPolicy Policy = RegisterPolicy::Grow;
  uint64_t Seed = 0;

  std::string name() const;
};

/// What is not given varies with the seed.
struct CaseOptions {
  std::vector<EngineTarget> Targets = allTargets();
  std::optional<Language> From;
  std::optional<Way> How;
  std::optional<std::optional<StateValueArrayForm>> Storage;
  std::optional<RegisterPolicy> Policy;

  /// --target, --from, --way, --storage or --policy; false for another one.
  llvm::Expected<bool> parse(llvm::StringRef Name, llvm::StringRef Value);
  RandomCase at(uint64_t Seed) const;
};

std::string spelling(Way How);
std::string spelling(StateValueArrayForm Form);

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMCASE_H
