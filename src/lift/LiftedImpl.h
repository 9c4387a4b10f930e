// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a LiftedRepresentation owns.
#ifndef LUTHIER_LIFT_LIFTEDIMPL_H
#define LUTHIER_LIFT_LIFTEDIMPL_H

#include "amdgpu/MCTarget.h"
#include "codeobject/CodeObject.h"
#include "lift/LiftedDigest.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace luthier {

/// What an instruction was in the original.
struct Origin {
  uint64_t Address = 0; ///< As linked.
  unsigned Size = 0;    ///< Bytes.
  /// An operand is a literal although its value fits an inline constant, so
  /// that encoding the value again gives a shorter instruction.
  bool HasNeedlessLiteral = false;
  /// Of opcode and operands: tells whether a tool has changed them since.
  uint64_t Fingerprint = 0;
};

/// Why calls through pointers run the original's functions.
enum class UnfollowedPointers : uint8_t {
  None,       ///< They run copies, as far as addresses of functions are taken.
  NoFunction, ///< None has its address taken.
  TooMany,    ///< More than MostAddressTaken.
  NotLifted,  ///< None can be lifted with all that it calls.
};

/// Each call through a pointer may have to look through all of them.
constexpr size_t MostAddressTaken = 64;

uint64_t fingerprint(const llvm::MachineInstr &MI);

/// Whether a tool has changed, added, removed or moved anything.
bool isEdited(const LiftedRepresentation &LR);

/// Members are destroyed from the last to the first: machine functions need
/// their module, the module its context.
struct detail::LiftedState::Impl final : llvm::MachineFunction::Delegate {
  std::shared_ptr<const CodeObject> Object;
  const KernelInfo *Kernel = nullptr; ///< Owned by Object.
  /// Where waves begin, as linked: behind the kernel's first instructions where
  /// hardware has done what they do (AMDGPUUsage, "Preloaded Kernel
  /// Arguments").
  uint64_t Entry = 0;
  const amdgpu::MCTarget *Target = nullptr;

  llvm::LLVMContext Context;
  const llvm::TargetMachine *TM = nullptr; ///< Shared by all of Target.
  std::unique_ptr<llvm::Module> M;
  std::unique_ptr<llvm::MachineModuleInfo> MMI;

  LiftedRepresentation::FunctionList Functions;
  UnfollowedPointers Unfollowed = UnfollowedPointers::None;
  Digest AsLifted = {}; ///< Before any edit.
  llvm::DenseMap<const llvm::MachineInstr *, Origin> Origins;
  llvm::SmallVector<PCRelativeReference, 4> References;
  llvm::SmallVector<ControlTransfer, 4> Transfers;
  /// Places in Transfers.
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> TransferOf;

  /// Functions whose address is taken but that run as they are, each with the
  /// reason; for people.
  std::string LeftOut;

  bool preloadsArguments() const { return Entry != Kernel->EntryAddress; }
  /// Bytes of the kernel's own code, from Entry on.
  uint64_t codeSize() const {
    const uint64_t End = Kernel->EntryAddress + Kernel->CodeSize;
    return End - std::min(Entry, End);
  }
  void addTransfer(const ControlTransfer &Transfer);
  /// A tool has edited the instruction or put it there.
  bool isChanged(const llvm::MachineInstr &MI) const {
    auto It = Origins.find(&MI);
    return It == Origins.end() || It->second.Fingerprint != fingerprint(MI);
  }

  /// An instruction that is removed is forgotten: the next new one may well get
  /// its address in memory.
  void MF_HandleRemoval(llvm::MachineInstr &MI) override;
  void MF_HandleInsertion(llvm::MachineInstr &) override {}
};

} // namespace luthier

#endif // LUTHIER_LIFT_LIFTEDIMPL_H
