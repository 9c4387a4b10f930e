// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as LLVM machine IR that tools can walk and edit with LLVM's own API.
// Instructions carry pseudo opcodes (AMDGPU::V_READLANE_B32) wherever LLVM has
// one, whatever the encoding of the binary was.
#ifndef LUTHIER_LIFTEDREPRESENTATION_H
#define LUTHIER_LIFTEDREPRESENTATION_H

#include "luthier/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace llvm {
class LLVMContext;
class MachineFunction;
class MachineInstr;
class Module;
class TargetMachine;
} // namespace llvm

namespace luthier {

/// A function of the code object that was lifted.
struct LiftedSymbol {
  std::string Name;
  uint64_t Address = 0; ///< As linked.
  bool IsKernel = false;
};

/// Where `s_getpc` and the additions after it lead: position-dependent code
/// that is emitted so that it still produces the original's addresses.
struct PCRelativeReference {
  llvm::MachineInstr *GetPC = nullptr;
  llvm::MachineInstr *AddLow = nullptr; ///< Null if no addition was recognised.
  llvm::MachineInstr *AddHigh = nullptr;
  uint64_t Target = 0; ///< As linked; the plain PC if no addition follows.
};

/// Owned by Luthier or by whoever asked for a clone. Not thread-safe; different
/// objects can be used at once.
class LUTHIER_API LiftedRepresentation {
public:
  using FunctionList =
      llvm::SmallVector<std::pair<LiftedSymbol, llvm::MachineFunction *>, 1>;

  ~LiftedRepresentation();
  LiftedRepresentation(const LiftedRepresentation &) = delete;
  LiftedRepresentation &operator=(const LiftedRepresentation &) = delete;

  /// The kernel first, then the functions it reaches.
  FunctionList &functions();
  const FunctionList &functions() const;
  llvm::MachineFunction &kernel() { return *functions().front().second; }

  llvm::LLVMContext &getContext();
  llvm::Module &module();
  const llvm::TargetMachine &targetMachine() const;

  /// Address, as linked, that \p MI was decoded from. Nothing for instructions
  /// that a tool added.
  std::optional<uint64_t> originalAddress(const llvm::MachineInstr &MI) const;
  llvm::ArrayRef<PCRelativeReference> pcRelativeReferences() const;

  // Private to Luthier.
  struct Impl;
  explicit LiftedRepresentation(std::unique_ptr<Impl> P);
  Impl &impl() { return *P; }
  const Impl &impl() const { return *P; }

private:
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_LIFTEDREPRESENTATION_H
