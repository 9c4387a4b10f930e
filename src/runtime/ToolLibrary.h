// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared library that a tool is.
#ifndef LUTHIER_RUNTIME_TOOLLIBRARY_H
#define LUTHIER_RUNTIME_TOOLLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace luthier::runtime {

struct ToolLibrary {
  uintptr_t Base = 0; ///< Where it is loaded.
  std::string Path;

  /// What `luthier run --tool` calls it.
  std::string name() const;
};

/// The one that \p Address lies in; nothing if it lies in none.
ToolLibrary libraryOf(const void *Address);

/// What nobody may write of the library at \p Path, from begin to end: code and
/// constants. Nothing if it is not loaded.
std::vector<std::pair<uint64_t, uint64_t>>
readOnlyMemoryOf(llvm::StringRef Path);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLLIBRARY_H
