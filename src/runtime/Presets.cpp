// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Presets.h"
#include <algorithm>

namespace luthier::runtime {

PresetSet PresetSet::with(const PresetKey &Key) const {
  PresetSet Result = *this;
  auto Own = std::ranges::find(Result.Keys, Key.Owner, &PresetKey::Owner);
  if (Own == Result.Keys.end())
    Result.Keys.push_back(Key);
  else
    *Own = Key;
  return Result;
}

PresetSet PresetSet::without(const Tool *Owner) const {
  PresetSet Result = *this;
  std::erase_if(Result.Keys,
                [&](const PresetKey &Key) { return Key.Owner == Owner; });
  return Result;
}

std::string PresetSet::text() const {
  std::string Text;
  for (const PresetKey &Key : Keys)
    Text += (Text.empty() ? "" : "+") + Key.Name;
  return Text;
}

} // namespace luthier::runtime
