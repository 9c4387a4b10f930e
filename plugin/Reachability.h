// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the hooks of a module use, directly or through others.
#ifndef LUTHIER_PLUGIN_REACHABILITY_H
#define LUTHIER_PLUGIN_REACHABILITY_H

#include "Annotations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace llvm {
class Constant;
class GlobalVariable;
class Value;
} // namespace llvm

namespace luthier {

/// Destroys and frees. Each class with a virtual destructor has one in its
/// table, called or not; hooks have no heap, and where one calls it, nothing
/// happens.
bool isDeletingDestructor(const llvm::Value &V);

class Reachability {
public:
  explicit Reachability(const AnnotatedFunctions &Annotated);

  /// Hooks first. Without intrinsics, whose bodies mean nothing.
  const llvm::SetVector<llvm::Function *> &functions() const {
    return Functions;
  }
  const llvm::SetVector<llvm::GlobalVariable *> &variables() const {
    return Variables;
  }

  /// The hook through which \p F was found first; \p F itself if it is one.
  const llvm::Function &hookThatReaches(const llvm::Function &F) const;
  /// For messages: " (called by 'f', called by hook 'h')", empty for a hook.
  /// What AMD's device libraries call among themselves is left out.
  std::string pathTo(const llvm::Function &F) const;
  /// Whether a function that begins so is on that path.
  bool isReachedThrough(const llvm::Function &F, llvm::StringRef Prefix) const;

private:
  void visitOperand(const llvm::Value *Operand, llvm::Function *User);
  void scan(llvm::Function &F);

  const AnnotatedFunctions &Annotated;
  llvm::SetVector<llvm::Function *> Functions;
  llvm::SetVector<llvm::GlobalVariable *> Variables;
  /// Through which function each was found first.
  llvm::DenseMap<const llvm::Function *, llvm::Function *> FoundFrom;
  llvm::DenseSet<const llvm::Constant *> SeenConstants;
};

} // namespace luthier

#endif // LUTHIER_PLUGIN_REACHABILITY_H
