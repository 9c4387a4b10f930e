// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/KernelName.h"
#include "llvm/Demangle/Demangle.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace luthier {

std::array<std::string, 4> spellingsOf(StringRef Symbol) {
  const std::string Mangled = Symbol.str();
  ItaniumPartialDemangler Parts;
  if (Parts.partialDemangle(Mangled.c_str()) || !Parts.isFunction())
    return {Mangled, Mangled, Mangled, Mangled};
  const auto Take = [](char *Text) {
    std::string Result = Text ? Text : "";
    std::free(Text);
    return Result;
  };
  return {Mangled, Take(Parts.finishDemangle(nullptr, nullptr)),
          Take(Parts.getFunctionName(nullptr, nullptr)),
          Take(Parts.getFunctionBaseName(nullptr, nullptr))};
}

std::string readableKernelName(StringRef Symbol) {
  return spellingsOf(Symbol)[1];
}

bool isNearName(StringRef BaseName, StringRef Wanted) {
  const unsigned Allowed = std::max<size_t>(Wanted.size() / 3, 2);
  return BaseName.contains_insensitive(Wanted) ||
         BaseName.edit_distance(Wanted, /*AllowReplacements=*/true, Allowed) <=
             Allowed;
}

} // namespace luthier
