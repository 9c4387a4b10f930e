// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a variant before it is compiled, and what the variants of
// one kernel have in common: numbers of counters, places in shared memory. All
// of it names variables of the module as it was parsed, whose copies come and
// go.
#ifndef LUTHIER_HOOK_VARIANTFACTS_H
#define LUTHIER_HOOK_VARIANTFACTS_H

#include "hook/Archive.h"
#include "hook/NamedFacts.h"
#include "hook/PassContext.h"
#include "hook/ir/HookNeeds.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <string>
#include <vector>

namespace luthier {

struct VariantFacts {
  HookNeeds Needs; ///< But for counters and shared memory.
  llvm::SmallVector<CounterKey, 2> Counters;
  llvm::SmallVector<const llvm::GlobalVariable *, 2> Shared;
};

NamedFacts namesOf(const VariantFacts &Facts);
/// Nothing if \p Parsed lacks a variable.
std::optional<VariantFacts> factsIn(llvm::Module &Parsed,
                                    const NamedFacts &Named);

/// Of payload \p F, which is in a copy of \p Parsed. Refuses counters that are
/// not variables.
llvm::Expected<VariantFacts> factsOf(llvm::Function &F, llvm::Module &Parsed);

struct CommonLayout {
  Counters Numbers;
  /// With offsets.
  llvm::MapVector<const llvm::GlobalVariable *, unsigned> Shared;
  unsigned SharedBytes = 0, SharedAlign = 1;

  /// As passes want it, for the variables of \p Copy.
  SharedMemory sharedIn(llvm::Module &Copy) const;
  Counters countersIn(llvm::Module &Copy) const;
};

/// Counters in the order in which they come up, variables in that of \p Parsed.
/// Refuses shared memory without a size of its own.
llvm::Expected<CommonLayout> layOut(llvm::ArrayRef<const VariantFacts *> All,
                                    llvm::Module &Parsed);

/// What all of them take together.
HookNeeds needsOf(llvm::ArrayRef<const VariantFacts *> All,
                  const CommonLayout &Layout);

/// Adds to the key of a variant what else its code depends on.
void addPlace(ArchiveWriter &Key, const PayloadABI &ABI,
              const VariantFacts &Facts, const CommonLayout &Layout);

} // namespace luthier

#endif // LUTHIER_HOOK_VARIANTFACTS_H
