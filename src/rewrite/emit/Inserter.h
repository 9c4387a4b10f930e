// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts code into a kernel while it is written. There are two: the call sites of
// hooks (HookInserter.h) and the self-test (selftest/RegisterScrambler.h).
#ifndef LUTHIER_REWRITE_EMIT_INSERTER_H
#define LUTHIER_REWRITE_EMIT_INSERTER_H

#include "amdgpu/CodeLayout.h"
#include "analysis/InsertionPoint.h"
#include "luthier/Analysis.h"

namespace luthier {

class Inserter {
public:
  virtual ~Inserter() = default;

  /// Called once for each point of the kernel, in the order of the code.
  /// Appends to \p Layout what is to run there, or nothing.
  virtual void insert(const InsertionPoint &Where,
                      amdgpu::CodeLayout &Layout) = 0;
  /// Registers that the kernel must be given for that code.
  virtual RegisterUse registers() const = 0;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_INSERTER_H
