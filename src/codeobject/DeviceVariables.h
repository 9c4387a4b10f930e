// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that a code object defines, with their initial values.
#ifndef LUTHIER_CODEOBJECT_DEVICEVARIABLES_H
#define LUTHIER_CODEOBJECT_DEVICEVARIABLES_H

#include "codeobject/CodeObject.h"

namespace luthier {

/// Behind a managed variable's name: its storage, while the name alone is that
/// of the cell that leads there.
inline constexpr llvm::StringLiteral ManagedSuffix = ".managed";

struct DeviceVariable {
  std::string Name;
  uint64_t Address = 0, Size = 0; ///< As linked.
  /// In the file; empty for zeros.
  llvm::ArrayRef<uint8_t> Initial = {};
  bool IsWeak = false; ///< As headers have them.
  /// Leads to the managed variable of its name.
  bool IsCell = false;

  /// That its place in the file shows, at most a page's.
  uint64_t alignment() const;
};

/// Those that other code objects can see; what HIP and Luthier themselves put
/// there is nobody's variable. The values point into \p Object.
llvm::Expected<std::vector<DeviceVariable>>
variablesOf(const CodeObject &Object);

/// Clang gives each compilation an identifier, the same for all targets; empty
/// if \p Object does not say.
llvm::Expected<std::string> compilationOf(const CodeObject &Object);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_DEVICEVARIABLES_H
