// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a variant before it is compiled, in a form that means the
// same in every process.
#ifndef LUTHIER_HOOK_NAMEDFACTS_H
#define LUTHIER_HOOK_NAMEDFACTS_H

#include "hook/ir/HookNeeds.h"
#include <cstdint>
#include <string>
#include <vector>

namespace luthier {

/// What VariantFacts says, by names of variables.
struct NamedFacts {
  HookNeeds Needs;
  struct Counter {
    std::string Variable; ///< "": Offset is an address.
    int64_t Offset = 0;
  };
  std::vector<Counter> Counters;
  std::vector<std::string> Shared;
};

} // namespace luthier

#endif // LUTHIER_HOOK_NAMEDFACTS_H
