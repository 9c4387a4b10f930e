// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of lanes behind another EXEC.
#ifndef LUTHIER_HOOK_LANEVALUES_H
#define LUTHIER_HOOK_LANEVALUES_H

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
class LaneValues {
public:
  using Blocks = llvm::SmallPtrSet<const llvm::MachineBasicBlock *, 8>;

  LaneValues(llvm::MachineFunction &MF, const PayloadFrame &Frame);

  bool isVector(llvm::Register Reg) const;
  /// In a vector register, or a mask in scalar registers that vector
  /// instructions wrote, or logic on such masks.
  bool dependsOnLanes(llvm::Register Reg) const {
    return isVector(Reg) || Masks.contains(Reg);
  }

  /// Has all instructions use values that were computed under their own EXEC,
  /// or as much of it as a hook can know: what comes from elsewhere stays.
  /// Blocks that are \p Marked end by defining EXEC, and those in \p Others
  /// with other lanes than the hook began with. Returns what cannot be done, or
  /// nothing.
  std::string renewUses(const Blocks &Marked, const Blocks &Others);

private:
  using Chain = llvm::SmallVector<llvm::MachineInstr *, 2>;

  void findMasks();
  bool beginsMask(llvm::MachineInstr &Def, llvm::Register Reg) const;
  bool hasOtherLanes(const llvm::MachineBasicBlock &MBB) const;
  bool crossesMarker(const llvm::MachineInstr &Def,
                     const llvm::MachineBasicBlock &Use) const;
  bool leavesLoopOfLanes(const llvm::MachineInstr &Def,
                         const llvm::MachineBasicBlock &Use) const;
  bool isHarmlessRead(llvm::MCRegister Reg) const;
  bool isFromElsewhere(const llvm::MachineInstr &Def) const;
  bool joinsWhatIsFromElsewhere(const llvm::MachineInstr &Phi) const;
  llvm::MachineInstr *setterOf(llvm::MCRegister Reg,
                               llvm::MachineInstr &User) const;
  std::optional<Chain> computationOf(llvm::MachineInstr &Def) const;
  void renewOperands(llvm::MachineInstr &Copy,
                     llvm::MachineBasicBlock &UseBlock);
  void copy(const Chain &Computation, llvm::MachineBasicBlock &UseBlock);
  llvm::Register renew(llvm::Register Reg, llvm::MachineBasicBlock &UseBlock);
  void renewUsesIn(llvm::MachineInstr &User);
  void noteLoss(const llvm::MachineInstr &Def,
                const llvm::MachineBasicBlock &UseBlock);

  llvm::MachineFunction &MF;
  const PayloadFrame &Frame;
  const llvm::SIInstrInfo &TII;
  llvm::MachineRegisterInfo &MRI;
  const Blocks *Marked = nullptr, *Others = nullptr;
  llvm::MachineLoopInfo *Loops = nullptr;
  /// Scalar registers that hold a bit for each lane.
  llvm::DenseSet<llvm::Register> Masks;
  /// Copies already made: (register, block) to the new register.
  llvm::DenseMap<std::pair<llvm::Register, llvm::MachineBasicBlock *>,
                 llvm::Register>
      Renewed;
  /// The first instruction of each block that was there before us.
  llvm::DenseMap<llvm::MachineBasicBlock *, llvm::MachineBasicBlock::iterator>
      InsertAt;
  std::string Loss;
};

} // namespace luthier

#endif // LUTHIER_HOOK_LANEVALUES_H
