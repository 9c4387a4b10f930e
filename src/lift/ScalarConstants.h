// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar registers whose value is the same whenever control reaches a place, or
// the one that they had when the function was entered. Code addresses are
// computed from the program counter, copied, and used far away (in other
// blocks, through lanes of a VGPR, behind calls); this is how the targets of
// calls and jumps through registers are known.
//   s_getpc_b64  s[4:5]
//   s_add_u32    s4, s4, callee@rel32@lo+4
//   s_addc_u32   s5, s5, callee@rel32@hi+12
//   s_mov_b64    s[16:17], s[4:5]
//   s_swappc_b64 s[30:31], s[16:17]
#ifndef LUTHIER_LIFT_SCALARCONSTANTS_H
#define LUTHIER_LIFT_SCALARCONSTANTS_H

#include "luthier/RegisterSet.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>

namespace llvm {
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

class ScalarConstants {
public:
  /// What a function's own instructions do not say.
  struct Environment {
    /// Where an instruction lies, as linked; nothing for inserted ones.
    llvm::function_ref<std::optional<uint64_t>(const llvm::MachineInstr &)>
        AddressOf;
    /// The address that the eight bytes at this one always hold, if any.
    llvm::function_ref<std::optional<uint64_t>(uint64_t)> PointerAt = nullptr;
    /// What a call of the function at this address, or of an unknown one, may
    /// change; everything if there is nobody to ask.
    llvm::function_ref<RegisterSet(std::optional<uint64_t>)> ChangedBy =
        nullptr;
  };

  static ScalarConstants run(const llvm::MachineFunction &MF,
                             const Environment &Env);

  /// Where \p MI transfers control through a register or by s_call, if that is
  /// known. Addresses as linked.
  std::optional<uint64_t> targetOf(const llvm::MachineInstr &MI) const;
  /// The first of the two scalar registers that held the target of \p MI when
  /// the function was entered: its caller's return address, in all likelihood.
  std::optional<unsigned> entryPairOf(const llvm::MachineInstr &MI) const;
  /// Before \p MI, a transfer: scalar registers known to hold what they held
  /// when the function was entered.
  RegisterSet keptAt(const llvm::MachineInstr &MI) const {
    return Kept.lookup(&MI);
  }

  /// True for s_swappc, s_setpc, s_call: what targetOf() is for.
  static bool isTransfer(const llvm::MachineInstr &MI);

private:
  llvm::DenseMap<const llvm::MachineInstr *, uint64_t> Targets;
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> EntryPairs;
  llvm::DenseMap<const llvm::MachineInstr *, RegisterSet> Kept;
};

} // namespace luthier

#endif // LUTHIER_LIFT_SCALARCONSTANTS_H
