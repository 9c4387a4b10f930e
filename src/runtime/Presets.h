// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instrumented version of a kernel is known by.
#ifndef LUTHIER_RUNTIME_PRESETS_H
#define LUTHIER_RUNTIME_PRESETS_H

#include <compare>
#include <string>
#include <vector>

namespace luthier {
class Tool;
}

namespace luthier::runtime {

/// Presets of different tools are different although they have the same name.
struct PresetKey {
  const Tool *Owner;
  std::string Name;
  auto operator<=>(const PresetKey &) const = default;
};

/// Those whose hooks are in one version, at most one of each tool, in the order
/// of the tools.
struct PresetSet {
  std::vector<PresetKey> Keys;

  PresetSet() = default;
  PresetSet(const Tool *Owner, std::string Name)
      : Keys{{Owner, std::move(Name)}} {}

  /// With \p Key in the place of what the same tool had before.
  PresetSet with(const PresetKey &Key) const;
  PresetSet without(const Tool *Owner) const;
  bool empty() const { return Keys.empty(); }
  /// Their names.
  std::string text() const;
  auto operator<=>(const PresetSet &) const = default;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PRESETS_H
