// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RareSkips.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Mnemonic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <numeric>

using namespace llvm;

namespace luthier {

/// Forward, or over a block that lies elsewhere.
static bool isSkip(const MachineBasicBlock &MBB,
                   const MachineBasicBlock &Next) {
  if (MBB.empty())
    return false;
  const MachineInstr &Last = MBB.back();
  if (MBB.succ_size() != 2 || Last.getOpcode() != AMDGPU::S_CBRANCH_EXECZ ||
      !Last.getOperand(0).isMBB() || Last.getOperand(0).getMBB() != &Next ||
      MBB.isLayoutSuccessor(&Next))
    return false;
  if (MBB.getNumber() < Next.getNumber())
    return true;
  const MachineBasicBlock &Skipped = *std::next(MBB.getIterator());
  return Skipped.succ_size() == 1 && Skipped.isSuccessor(&Next);
}

namespace {

/// How probable it is that lanes are left.
enum class Guess { Unknown, FewWaves, MostWaves };

/// Looks back from the end of a block, as the code lies: it may be wrong.
class SkipCondition {
public:
  explicit SkipCondition(const MachineBasicBlock &MBB)
      : MBB(MBB), TRI(*MBB.getParent()->getSubtarget().getRegisterInfo()) {}

  Guess guess() const;

private:
  const MachineInstr *writerOf(Register Reg, const MachineInstr *Before) const;
  Guess ofMask(const MachineOperand &Mask, const MachineInstr &User,
               unsigned Depth = 0) const;
  Guess ofComparison(const MachineInstr &Compare, StringRef Relation) const;
  bool isVector(const MachineOperand &MO) const;
  bool isConstant(const MachineOperand &MO, const MachineInstr &User) const;

  const MachineBasicBlock &MBB;
  const TargetRegisterInfo &TRI;
};

const MachineInstr *SkipCondition::writerOf(Register Reg,
                                            const MachineInstr *Before) const {
  constexpr unsigned Most = 256; // Instructions to look at.
  const MachineBasicBlock *In = Before ? Before->getParent() : &MBB;
  const MachineInstr *MI = Before ? Before->getPrevNode() : &MBB.back();
  for (unsigned Seen = 0; Seen < Most; ++Seen) {
    while (!MI) {
      if (In == &In->getParent()->front())
        return nullptr;
      In = &*std::prev(In->getIterator());
      MI = In->empty() ? nullptr : &In->back();
    }
    if (MI->modifiesRegister(Reg, &TRI))
      return MI;
    MI = MI->getPrevNode();
  }
  return nullptr;
}

bool SkipCondition::isVector(const MachineOperand &MO) const {
  if (!MO.isReg() || !MO.getReg())
    return false;
  const StringRef Name = TRI.getName(MO.getReg().asMCReg());
  return Name.starts_with("VGPR");
}

bool SkipCondition::isConstant(const MachineOperand &MO,
                               const MachineInstr &User) const {
  if (MO.isImm())
    return true;
  const MachineInstr *Writer = writerOf(MO.getReg(), &User);
  return Writer &&
         (Writer->getOpcode() == AMDGPU::S_MOV_B32 ||
          Writer->getOpcode() == AMDGPU::S_MOVK_I32) &&
         Writer->getOperand(1).isImm();
}

/// \p Relation is what follows v_cmp_ in the name, such as gt_u32.
Guess SkipCondition::ofComparison(const MachineInstr &Compare,
                                  StringRef Relation) const {
  SmallVector<const MachineOperand *, 4> Operands;
  for (const MachineOperand &MO : Compare.explicit_uses())
    Operands.push_back(&MO);
  const auto [Name, Type] = Relation.split('_');
  if (Operands.size() != 2 || !(Type.starts_with("u") || Type.starts_with("i")))
    return Guess::Unknown;
  if (Name == "ne" || Name == "lg")
    return Guess::MostWaves;
  if (Name == "eq")
    return Guess::FewWaves;
  const bool IsFirst = isVector(*Operands[0]);
  if (IsFirst == isVector(*Operands[1]))
    return Guess::Unknown;
  const MachineOperand &Bound = *Operands[IsFirst ? 1 : 0];
  // Of the lane's number against the bound.
  const bool IsBelow = Name.starts_with("l") == IsFirst;
  return IsBelow == isConstant(Bound, Compare) ? Guess::FewWaves
                                               : Guess::MostWaves;
}

Guess SkipCondition::ofMask(const MachineOperand &Mask,
                            const MachineInstr &User, unsigned Depth) const {
  constexpr unsigned MaxDepth = 4; // Of conditions that are joined.
  if (!Mask.isReg() || Depth > MaxDepth)
    return Guess::Unknown;
  const MachineInstr *Writer = writerOf(Mask.getReg(), &User);
  if (!Writer)
    return Guess::Unknown;
  const std::string Name = mnemonicOf(*Writer);
  if (StringRef Relation = Name; Relation.consume_front("v_cmp_"))
    return ofComparison(*Writer, Relation);
  if (Name != "s_and_b64" && Name != "s_and_b32")
    return Guess::Unknown;
  // One of them may be from before a loop.
  const Guess A = ofMask(Writer->getOperand(1), *Writer, Depth + 1),
              B = ofMask(Writer->getOperand(2), *Writer, Depth + 1);
  return A == Guess::Unknown || A == B ? B
         : B == Guess::Unknown         ? A
                                       : Guess::FewWaves;
}

Guess SkipCondition::guess() const {
  const MachineInstr *Writer = writerOf(AMDGPU::EXEC, nullptr);
  if (!Writer)
    return Guess::Unknown;
  const std::string Name = mnemonicOf(*Writer);
  StringRef Relation = Name;
  if (Relation.consume_front("v_cmpx_"))
    return ofComparison(*Writer, Relation);
  if (Relation.starts_with("s_and_saveexec"))
    return ofMask(Writer->getOperand(1), *Writer);
  if (Name != "s_and_b64" && Name != "s_and_b32")
    return Guess::Unknown;
  const MachineOperand &First = Writer->getOperand(1);
  const bool IsFirstExec =
      First.isReg() && TRI.regsOverlap(First.getReg(), AMDGPU::EXEC);
  return ofMask(Writer->getOperand(IsFirstExec ? 2 : 1), *Writer);
}

} // namespace

RareSkips::RareSkips(const MachineFunction &MF)
    : Before(MF.getNumBlockIDs() + 1) {
  for (const MachineBasicBlock &MBB : MF)
    Before[MBB.getNumber() + 1] = MBB.size();
  std::partial_sum(Before.begin(), Before.end(), Before.begin());
}

bool RareSkips::skipsMuch(const MachineBasicBlock &MBB,
                          const MachineBasicBlock &Next) const {
  // Of the parts of a function from 1 to 64, a jump over a third as rare costs
  // the programs of bench/in_kernel.py least.
  constexpr size_t PartSkipped = 3;
  const size_t Skipped = Before[Next.getNumber()] - Before[MBB.getNumber() + 1];
  return Skipped * PartSkipped >= Before.back();
}

bool RareSkips::isRare(const MachineBasicBlock &MBB,
                       const MachineBasicBlock &Next,
                       unsigned LoopDepth) const {
  return isSkip(MBB, Next) &&
         (SkipCondition(MBB).guess() == Guess::MostWaves ||
          (!LoopDepth && MBB.getNumber() < Next.getNumber() &&
           skipsMuch(MBB, Next)));
}

} // namespace luthier
