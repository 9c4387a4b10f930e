// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a LiftedRepresentation owns.
#ifndef LUTHIER_LIFT_LIFTEDIMPL_H
#define LUTHIER_LIFT_LIFTEDIMPL_H

#include "amdgpu/MCTarget.h"
#include "codeobject/CodeObject.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace luthier {

/// Members are destroyed from the last to the first: machine functions need
/// their module, the module its context.
struct LiftedRepresentation::Impl {
  std::shared_ptr<const CodeObject> Object;
  const KernelInfo *Kernel = nullptr; ///< Owned by Object.
  const amdgpu::MCTarget *Target = nullptr;

  llvm::LLVMContext Context;
  std::unique_ptr<llvm::TargetMachine> TM;
  std::unique_ptr<llvm::Module> M;
  std::unique_ptr<llvm::MachineModuleInfo> MMI;

  FunctionList Functions;
  llvm::DenseMap<const llvm::MachineInstr *, uint64_t> Addresses;
  llvm::SmallVector<PCRelativeReference, 4> References;
  llvm::SmallVector<ControlTransfer, 4> Transfers;
  /// Places in Transfers.
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> TransferOf;
  /// Instructions with a literal where an inline constant would do: the only
  /// ones whose encoding the lifted form does not keep.
  llvm::SmallVector<const llvm::MachineInstr *, 4> NeedlessLiterals;
};

} // namespace luthier

#endif // LUTHIER_LIFT_LIFTEDIMPL_H
