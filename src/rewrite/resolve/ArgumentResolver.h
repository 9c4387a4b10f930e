// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a tool asks to be passed to registers and constants.
#ifndef LUTHIER_REWRITE_RESOLVE_ARGUMENTRESOLVER_H
#define LUTHIER_REWRITE_RESOLVE_ARGUMENTRESOLVER_H

#include "amdgpu/MCTarget.h"
#include "analysis/ArgumentValue.h"
#include "analysis/InsertionPointResolver.h"
#include "analysis/MemoryOperands.h"
#include "analysis/RegisterUse.h"
#include "hook/ComputedArgument.h"
#include "luthier/HookArgument.h"
#include "llvm/ADT/DenseMap.h"

namespace luthier {

/// How many dwords \p Reg takes and whether it holds a value per lane.
ArgumentSlot argumentSlotFor(llvm::MCRegister Reg,
                             const amdgpu::MCTarget &Target);

class ArgumentResolver {
public:
  /// \p LoadBias is added to linked addresses.
  ArgumentResolver(const LiftedRepresentation &LR, const RegisterUse &Use,
                   uint64_t LoadBias)
      : LR(LR), Use(Use), LoadBias(LoadBias) {}

  /// The value of \p Argument at \p At. Refuses with HookArguments what has no
  /// value there, and with NoInsertionPoint registers that change between the
  /// instruction and where its hook can run.
  llvm::Expected<ArgumentValue> resolve(const HookArgument &Argument,
                                        const ResolvedInsertion &At);

  /// The register that \p Argument names at \p At, by itself or as an operand;
  /// none for everything else.
  static llvm::MCRegister registerOf(const HookArgument &Argument,
                                     const ResolvedInsertion &At);

private:
  llvm::Expected<ArgumentValue> find(const HookArgument &Argument,
                                     const ResolvedInsertion &At);
  llvm::Expected<ArgumentValue> registerValue(llvm::MCRegister Reg) const;
  llvm::Expected<ArgumentValue>
  registerParts(llvm::MCRegister Tuple, unsigned First, unsigned Count) const;
  llvm::Expected<ArgumentValue> operandValue(const llvm::MachineInstr &MI,
                                             unsigned Index);
  llvm::Expected<ArgumentValue>
  operandParts(const ResolvedInsertion &At, const HookArgument &Argument) const;
  llvm::Expected<MemoryAccess> access(const llvm::MachineInstr &MI,
                                      unsigned Index) const;
  llvm::Expected<unsigned> sizeOf(const llvm::MachineInstr &MI) const;
  llvm::Expected<uint64_t> addressOf(const llvm::MachineInstr &MI) const;
  unsigned blockNumber(const llvm::MachineBasicBlock &MBB);
  bool isReadable(llvm::MCRegister Reg) const;

  const LiftedRepresentation &LR;
  const RegisterUse &Use;
  const uint64_t LoadBias;
  llvm::DenseMap<const llvm::MachineBasicBlock *, unsigned> BlockNumbers;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_RESOLVE_ARGUMENTRESOLVER_H
