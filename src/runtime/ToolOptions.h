// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that tools declare, and the values that users give.
#ifndef LUTHIER_RUNTIME_TOOLOPTIONS_H
#define LUTHIER_RUNTIME_TOOLOPTIONS_H

#include "luthier/Option.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <mutex>
#include <vector>

namespace luthier::runtime {

/// Thread-safe.
class ToolOptions {
public:
  void add(detail::OptionBase &Option);
  void remove(detail::OptionBase &Option);

  /// Gives the options of the library loaded at \p Base what \p Text says:
  /// "key=value,key", with a backslash in front of commas that belong to a
  /// value. Fails if the tool, called \p Tool, has no such option or a value is
  /// none; the message lists what there is.
  llvm::Error set(uintptr_t Base, llvm::StringRef Text, llvm::StringRef Tool);
  /// A line for each, with type, default and explanation.
  std::string list(uintptr_t Base);

private:
  using Options = llvm::SmallVector<detail::OptionBase *, 4>;
  Options optionsOf(uintptr_t Base);

  std::mutex Lock;
  std::vector<detail::OptionBase *> All; ///< In the order of declaration.
};

/// Lives until the process is gone.
ToolOptions &toolOptions();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLOPTIONS_H
