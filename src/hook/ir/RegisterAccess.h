// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that enter or leave a payload in registers: its arguments and the
// application's registers that it names.
#ifndef LUTHIER_HOOK_IR_REGISTERACCESS_H
#define LUTHIER_HOOK_IR_REGISTERACCESS_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace llvm {
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace luthier {

/// A value that arrives in registers \p Slot, as type \p To.
llvm::Value *readArgument(llvm::IRBuilderBase &B, const ArgumentSlot &Slot,
                          const PayloadABI &ABI, llvm::Type *To);

/// The wave counter in SGPR \p First and the next one.
llvm::Value *readCounter(llvm::IRBuilderBase &B, unsigned First);

class RegisterAccess {
public:
  RegisterAccess(const amdgpu::MCTarget &Target, const PayloadABI &ABI,
                 Payload &Result)
      : Target(Target), ABI(ABI), Result(Result) {}

  /// Both refuse registers that the kernel does not have; write() also those
  /// that hooks can only read. A value narrower or wider than the register
  /// loses or gains high bits.
  llvm::Expected<llvm::Value *> read(llvm::IRBuilderBase &B, uint64_t Reg,
                                     llvm::Type *To);
  llvm::Error write(llvm::IRBuilderBase &B, uint64_t Reg, llvm::Value *V);

private:
  /// Where the 32-bit parts of a register are, as constraints of inline
  /// assembly.
  struct Parts {
    llvm::SmallVector<std::string, 4> Constraints;
    llvm::MCRegister Reg; ///< Invalid for flags, of which the ABI has copies.
    /// Of a part of 16 bits: where they begin in its register, which Reg is.
    std::optional<unsigned> HalfAt = {};
  };
  /// Without constraints for registers that are left to readSpecial().
  llvm::Expected<Parts> find(uint64_t Reg);
  /// Of \p Flag, \p Dwords from \p First on of its \p Copy.
  llvm::Expected<Parts> findFlag(llvm::MCRegister Flag, llvm::MCRegister Copy,
                                 unsigned First, unsigned Dwords);
  llvm::Expected<Parts> findGeneral(llvm::MCRegister Reg) const;
  llvm::SmallVector<llvm::Value *, 4> readSpecial(llvm::IRBuilderBase &B,
                                                  llvm::MCRegister Reg) const;
  llvm::Error noAccess(llvm::MCRegister Reg, llvm::StringRef Kind) const;

  const amdgpu::MCTarget &Target;
  const PayloadABI &ABI;
  Payload &Result;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_REGISTERACCESS_H
