// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialises divergent values across definitions of EXEC.
#ifndef LUTHIER_HOOK_CODEGEN_EXECREMATERIALIZER_H
#define LUTHIER_HOOK_CODEGEN_EXECREMATERIALIZER_H

#include "hook/Payload.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include <optional>
#include <string>

namespace llvm {
class MachineRegisterInfo;
class SIInstrInfo;
} // namespace llvm

namespace luthier {

/// Of a payload in SSA form that defines EXEC at the end of some blocks.
class ExecRematerializer {
public:
  using Blocks = llvm::SmallPtrSet<const llvm::MachineBasicBlock *, 8>;

  ExecRematerializer(llvm::MachineFunction &MF, const PayloadABI &ABI);

  bool isVector(llvm::Register Reg) const;
  /// In a vector register, or a mask in scalar registers that vector
  /// instructions wrote, or logic on such masks.
  bool dependsOnLanes(llvm::Register Reg) const {
    return isVector(Reg) || Masks.contains(Reg);
  }

  /// Has all instructions use values that were computed under their own EXEC,
  /// or as much of it as a hook can know: what comes from elsewhere stays.
  /// Blocks in \p WriteBlocks end by defining EXEC, and those in \p Others
  /// with other lanes than the hook began with. Returns what cannot be done, or
  /// nothing.
  std::string rematerializeUses(const Blocks &WriteBlocks,
                                const Blocks &Others);

private:
  using Chain = llvm::SmallVector<llvm::MachineInstr *, 2>;

  void findMasks();
  bool beginsMask(llvm::MachineInstr &Def, llvm::Register Reg) const;
  bool hasOtherLanes(const llvm::MachineBasicBlock &MBB) const;
  bool crossesExecWrite(const llvm::MachineInstr &Def,
                        const llvm::MachineBasicBlock &Use) const;
  bool leavesDivergentLoop(const llvm::MachineInstr &Def,
                           const llvm::MachineBasicBlock &Use) const;
  bool isHarmlessRead(llvm::MCRegister Reg) const;
  bool isIncoming(const llvm::MachineInstr &Def) const;
  bool joinsIncomingValues(const llvm::MachineInstr &Phi) const;
  llvm::MachineInstr *setterOf(llvm::MCRegister Reg,
                               llvm::MachineInstr &User) const;
  std::optional<Chain> computationOf(llvm::MachineInstr &Def) const;
  void rematerializeOperands(llvm::MachineInstr &Copy,
                             llvm::MachineBasicBlock &UseBlock);
  void copy(const Chain &Computation, llvm::MachineBasicBlock &UseBlock);
  llvm::Register rematerialize(llvm::Register Reg,
                               llvm::MachineBasicBlock &UseBlock);
  void rematerializeUsesIn(llvm::MachineInstr &User);
  void noteLoss(const llvm::MachineInstr &Def,
                const llvm::MachineBasicBlock &UseBlock);

  llvm::MachineFunction &MF;
  const PayloadABI &ABI;
  const llvm::SIInstrInfo &TII;
  llvm::MachineRegisterInfo &MRI;
  const Blocks *WriteBlocks = nullptr, *Others = nullptr;
  llvm::MachineLoopInfo *Loops = nullptr;
  /// Scalar registers that hold a bit for each lane.
  llvm::DenseSet<llvm::Register> Masks;
  /// Copies already made: (register, block) to the new register.
  llvm::DenseMap<std::pair<llvm::Register, llvm::MachineBasicBlock *>,
                 llvm::Register>
      Rematerialized;
  /// The first instruction of each block that was there before us.
  llvm::DenseMap<llvm::MachineBasicBlock *, llvm::MachineBasicBlock::iterator>
      InsertAt;
  std::string Loss;
};

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_EXECREMATERIALIZER_H
