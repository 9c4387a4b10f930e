// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools' variables inside of an instrumented file.
#ifndef LUTHIER_OFFLINE_TOOLVARIABLES_H
#define LUTHIER_OFFLINE_TOOLVARIABLES_H

#include "codeobject/CodeObjectExtender.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace luthier::offline {

/// Code objects of tools, and the file name of each one's tool: each once.
using ToolCode = std::vector<std::pair<const CodeObject *, std::string>>;

/// What variables are called in the file: their own names, unless different
/// tools have the same, which then are "tool.Name".
class VariableNames {
public:
  std::string nameOf(const CodeObject *Of, llvm::StringRef Variable) const;

private:
  friend llvm::Expected<VariableNames> addVariables(const ToolCode &,
                                                    const llvm::StringSet<> &,
                                                    const CodeObject &,
                                                    CodeObjectExtension &);
  std::map<const CodeObject *, llvm::StringMap<std::string>> Renamed;
};

/// Adds what \p Modules define to \p New, which goes with \p Original and
/// already has all its code. Weak variables, as headers have them, come only if
/// they are among those that hooks have \p Used. The cell of a managed variable
/// leads to the variable itself. Refuses with UnsupportedHook variables whose
/// initial values are addresses.
llvm::Expected<VariableNames> addVariables(const ToolCode &Modules,
                                           const llvm::StringSet<> &Used,
                                           const CodeObject &Original,
                                           CodeObjectExtension &New);

} // namespace luthier::offline

#endif // LUTHIER_OFFLINE_TOOLVARIABLES_H
