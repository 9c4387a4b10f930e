// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool adds an intrinsic of its own (docs/adding-an-intrinsic.md): a
// device function that hooks call and that the engine replaces by whatever LLVM
// IR the tool's host code makes for that call. Register it before the first
// kernel is instrumented, such as in the tool's constructor.
#ifndef LUTHIER_INTRINSICLOWERING_H
#define LUTHIER_INTRINSICLOWERING_H

#include "luthier/Export.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace llvm {
class CallInst;
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace luthier {

/// A call to be replaced. Hooks are optimised and inlined at this point;
/// arguments that were constants in the source are constants.
class LUTHIER_API IntrinsicCall {
public:
  explicit IntrinsicCall(llvm::CallInst &Call, llvm::IRBuilderBase &Builder)
      : Call(Call), Builder(Builder) {}

  /// Where code for the call goes.
  llvm::IRBuilderBase &builder() { return Builder; }
  llvm::Value *argument(unsigned I) const;
  unsigned arguments() const;
  llvm::Type *resultType() const;
  /// Of the processor that the kernel is for, such as "gfx90a".
  llvm::StringRef processor() const;

  /// luthier::readReg and luthier::writeReg; \p Reg is a constant.
  llvm::Value *readReg(unsigned Reg, llvm::Type *As);
  void writeReg(unsigned Reg, llvm::Value *Value);

private:
  llvm::CallInst &Call;
  llvm::IRBuilderBase &Builder;
};

/// Returns the call's result (null if it has none), or why a kernel cannot be
/// instrumented with it. May use AMDGPU's intrinsics and anything that hooks
/// may use, but no inline assembly.
using IntrinsicLowering =
    std::function<llvm::Expected<llvm::Value *>(IntrinsicCall &)>;

/// For calls of the function with this name ("mytool::swizzle") that is
/// declared with LUTHIER_INTRINSIC_ANNOTATE, or with
/// LUTHIER_SCALAR_INTRINSIC_ANNOTATE: then what it returns has to be made of
/// scalars, or operations of the wave that take it are refused. The last
/// registration counts. Thread-safe.
LUTHIER_API void registerIntrinsic(llvm::StringRef QualifiedName,
                                   IntrinsicLowering Lowering);

} // namespace luthier

#endif // LUTHIER_INTRINSICLOWERING_H
