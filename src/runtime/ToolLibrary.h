// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared library that a tool is.
#ifndef LUTHIER_RUNTIME_TOOLLIBRARY_H
#define LUTHIER_RUNTIME_TOOLLIBRARY_H

#include <cstdint>
#include <string>

namespace luthier::runtime {

struct ToolLibrary {
  uintptr_t Base = 0; ///< Where it is loaded.
  std::string Path;

  /// What `luthier run --tool` calls it.
  std::string name() const;
};

/// The one that \p Address lies in; nothing if it lies in none.
ToolLibrary libraryOf(const void *Address);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLLIBRARY_H
