// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks run in another code object than the one that defines their variables,
// so every variable they use must be visible there, under a name.
#ifndef LUTHIER_PLUGIN_VARIABLES_H
#define LUTHIER_PLUGIN_VARIABLES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class GlobalVariable;
class Module;
class Value;
} // namespace llvm

namespace luthier {

/// Clang gives each compilation an identifier and puts it into a variable's
/// name, through which the engine relates code objects.
inline constexpr llvm::StringLiteral CUIDPrefix = "__hip_cuid_";
inline constexpr llvm::StringLiteral ExportedPrefix = "__luthier.";

/// A name for what \p M has under \p Name, unique among all files of all tools
/// in a process.
std::string exportedName(llvm::Module &M, llvm::StringRef Name);

/// Without identity that anybody outside the module could rely on: hooks can
/// have their own copy.
bool isPlainConstant(const llvm::GlobalVariable &G);

/// The variable that what lies at \p Address is a part of; null if it is not
/// that simple.
const llvm::GlobalVariable *variableAt(const llvm::Value *Address);

/// Makes \p G visible outside of the code object, whether used there or not.
void keepVisible(llvm::GlobalVariable &G);

/// Before cloning: makes the mutable ones of \p Variables visible outside of
/// the code object made of \p M, and keeps the optimiser from removing them.
void exportVariables(llvm::Module &M,
                     const llvm::SetVector<llvm::GlobalVariable *> &Variables);

/// In the clone: the cell that leads to a managed variable is written before
/// kernels run, so loads of it are invariant. Optimisation forgets that of
/// loads that it moves, and drops the variable itself: only \p M still has it.
void markManagedCells(llvm::Module &Clone, const llvm::Module &M);

/// In the clone: turns variables into declarations, except constants, which
/// optimisation may want to fold; they become private to the clone.
void detachVariables(llvm::Module &Clone);

/// After optimisation: defines each constant that is left in \p Clone in \p M
/// under a name of its own, and declares it in \p Clone.
void exportConstants(llvm::Module &Clone, llvm::Module &M);

} // namespace luthier

#endif // LUTHIER_PLUGIN_VARIABLES_H
