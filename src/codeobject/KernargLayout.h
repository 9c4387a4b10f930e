// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel's arguments are that the runtime adds to its own.
#ifndef LUTHIER_CODEOBJECT_KERNARGLAYOUT_H
#define LUTHIER_CODEOBJECT_KERNARGLAYOUT_H

#include "codeobject/CodeObject.h"
#include "codeobject/HiddenArguments.h"
#include <map>

namespace luthier {

struct KernargLayout {
  /// Bytes up to the end of the kernel's own arguments.
  unsigned ExplicitSize = 0;
  /// Offsets from the start of all.
  std::map<HiddenArgument, unsigned> Hidden;
  /// Bytes up to the end of what hardware loads into registers; metadata does
  /// not say.
  unsigned PreloadedEnd = 0;
};

/// As its metadata has it; empty where that says nothing.
KernargLayout kernargLayout(const KernelInfo &Kernel);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_KERNARGLAYOUT_H
