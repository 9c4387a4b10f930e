// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which constants the parameters of hooks have been given, in all kernels so
// far: few are worth a compilation of the hook for each.
#ifndef LUTHIER_HOOK_SEENCONSTANTS_H
#define LUTHIER_HOOK_SEENCONSTANTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace luthier {

/// A constant that is part of an argument: parameter, form of the argument (0
/// for a plain one) and its detail, number of the input.
using ConstantPart = std::tuple<unsigned, unsigned, uint32_t, unsigned>;

/// Different numbers, as long as there are at most Most of them.
class FewConstants {
public:
  static constexpr unsigned Most = 4;

  void add(uint64_t Bits) {
    if (areFew() && !llvm::is_contained(Values, Bits))
      Values.push_back(Bits);
  }
  void add(const FewConstants &Others) {
    for (uint64_t Bits : Others.Values)
      add(Bits);
  }
  bool areFew() const { return Values.size() <= Most; }

private:
  llvm::SmallVector<uint64_t, Most + 1> Values; ///< One more: there are many.
};

/// Of the hooks of one module.
class SeenConstants {
public:
  /// Adds what a kernel gives, and returns whether all kernels together give
  /// few.
  bool areFewWith(llvm::StringRef Hook, const ConstantPart &Part,
                  const FewConstants &New) {
    FewConstants &All = Seen[{Hook.str(), Part}];
    All.add(New);
    return All.areFew();
  }

private:
  std::map<std::pair<std::string, ConstantPart>, FewConstants> Seen;
};

} // namespace luthier

#endif // LUTHIER_HOOK_SEENCONSTANTS_H
