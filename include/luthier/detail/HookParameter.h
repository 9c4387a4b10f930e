// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook's parameter may be: the plugin says so when a tool is compiled,
// and the engine when it is used. In a header alone, as they have no library in
// common.
#ifndef LUTHIER_DETAIL_HOOKPARAMETER_H
#define LUTHIER_DETAIL_HOOKPARAMETER_H

#include "llvm/IR/Argument.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"

namespace luthier {

/// What a hook's parameter can have at most.
inline constexpr unsigned MaxParameterBytes = 64;

/// What \p Parameter takes: clang hands large structures over in memory.
inline llvm::Type *valueTypeOf(const llvm::Argument &Parameter) {
  llvm::Type *Pointee = Parameter.getPointeeInMemoryValueType();
  return Pointee ? Pointee : Parameter.getType();
}

/// Is \p Parameter an object that its caller makes, because copying it is more
/// than copying its bytes? (Pointers of the source are to any memory.)
inline bool isPassedByAddress(const llvm::Argument &Parameter) {
  constexpr unsigned Private = 5; // AMDGPUUsage, "Address Spaces".
  auto *Pointer = llvm::dyn_cast<llvm::PointerType>(Parameter.getType());
  return Pointer && Pointer->getAddressSpace() == Private &&
         !Parameter.hasPointeeInMemoryValueAttr();
}

/// Can \p Parameter be made of bits?
inline bool isPassable(const llvm::Argument &Parameter) {
  llvm::Type *T = valueTypeOf(Parameter);
  if (isPassedByAddress(Parameter))
    return false;
  return !Parameter.hasStructRetAttr() && T->isSized() &&
         Parameter.getParent()->getDataLayout().getTypeAllocSize(T) <=
             MaxParameterBytes;
}

} // namespace luthier

#endif // LUTHIER_DETAIL_HOOKPARAMETER_H
