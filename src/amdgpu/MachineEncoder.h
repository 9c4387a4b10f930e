// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine IR instructions to bytes, without LLVM's assembly printer: one
// instruction at a time, so that code can be put together from pieces.
#ifndef LUTHIER_AMDGPU_MACHINEENCODER_H
#define LUTHIER_AMDGPU_MACHINEENCODER_H

#include "amdgpu/CodeLayout.h"
#include "amdgpu/MCTarget.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class MachineBasicBlock;
class MachineInstr;
class MCCodeEmitter;
} // namespace llvm

namespace luthier::amdgpu {

/// Not thread-safe.
class MachineEncoder {
public:
  explicit MachineEncoder(const MCTarget &Target);
  ~MachineEncoder();

  /// Appends \p MI to \p Layout; a branch goes to \p LabelOf its target.
  /// Instructions that emit nothing (KILL, empty inline assembly) append
  /// nothing. Fails for opcodes without an encoding and for operands that only
  /// a linker could fill in.
  llvm::Error
  encode(const llvm::MachineInstr &MI, CodeLayout &Layout,
         llvm::function_ref<CodeLayout::Label(const llvm::MachineBasicBlock &)>
             LabelOf);

  /// Bytes of an instruction given by its pseudo opcode and operands, which
  /// are real or pseudo registers and immediates.
  void encode(unsigned Opcode, llvm::ArrayRef<llvm::MCOperand> Operands,
              llvm::SmallVectorImpl<uint8_t> &Code);

  CodeLayout createLayout();

  /// First dword of SOPP branch \p Opcode with distance zero.
  uint32_t branchWord(unsigned Opcode);

  const MCTarget &target() const { return Target; }

private:
  llvm::Expected<llvm::MCInst> lower(const llvm::MachineInstr &MI) const;

  const MCTarget &Target;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCCodeEmitter> Emitter;
  llvm::DenseMap<unsigned, uint32_t> BranchWords;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_MACHINEENCODER_H
