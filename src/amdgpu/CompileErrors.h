// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_AMDGPU_COMPILEERRORS_H
#define LUTHIER_AMDGPU_COMPILEERRORS_H

#include "llvm/IR/LLVMContext.h"
#include <string>

namespace luthier::amdgpu {

/// What LLVM reports as errors while it compiles, such as too few registers,
/// as long as this object lives: without it, LLVM would end the process.
class CompileErrors {
public:
  explicit CompileErrors(llvm::LLVMContext &Context);
  ~CompileErrors();
  CompileErrors(const CompileErrors &) = delete;
  CompileErrors &operator=(const CompileErrors &) = delete;

  /// Empty if there were none since clear().
  const std::string &text() const { return Text; }
  /// Whether one of them was that registers do not suffice.
  bool ranOutOfRegisters() const { return RanOutOfRegisters; }
  void clear();

private:
  static void note(const llvm::DiagnosticInfo *Info, void *Errors);

  llvm::LLVMContext &Context;
  std::string Text;
  bool RanOutOfRegisters = false;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_COMPILEERRORS_H
