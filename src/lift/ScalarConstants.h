// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar registers whose value is the same whenever control reaches a place.
// Code addresses are computed from the program counter, copied, and used far
// away (in other blocks, through lanes of a VGPR); this is how the targets of
// calls and jumps through registers are known.
//   s_getpc_b64  s[4:5]
//   s_add_u32    s4, s4, callee@rel32@lo+4
//   s_addc_u32   s5, s5, callee@rel32@hi+12
//   s_mov_b64    s[16:17], s[4:5]
//   s_swappc_b64 s[30:31], s[16:17]
#ifndef LUTHIER_LIFT_SCALARCONSTANTS_H
#define LUTHIER_LIFT_SCALARCONSTANTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>
#include <map>
#include <optional>

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

class ScalarConstants {
public:
  /// Where an instruction lies, as linked; nothing for inserted ones.
  using AddressOf =
      llvm::function_ref<std::optional<uint64_t>(const llvm::MachineInstr &)>;

  static ScalarConstants run(const llvm::MachineFunction &MF,
                             AddressOf Address);

  /// Where \p MI transfers control through a register or by s_call, if that is
  /// known. Addresses as linked.
  std::optional<uint64_t> targetOf(const llvm::MachineInstr &MI) const;

  /// True for s_swappc, s_setpc, s_call: what targetOf() is for.
  static bool isTransfer(const llvm::MachineInstr &MI);

private:
  llvm::DenseMap<const llvm::MachineInstr *, uint64_t> Targets;
};

} // namespace luthier

#endif // LUTHIER_LIFT_SCALARCONSTANTS_H
