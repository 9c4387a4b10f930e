// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Instructions.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;

namespace luthier {

/// The first instruction of \p MBB or, if it is empty, of the next block that
/// has one.
static MachineInstr *firstFrom(MachineFunction::iterator MBB,
                               MachineFunction &MF) {
  for (; MBB != MF.end(); ++MBB)
    if (!MBB->empty())
      return &MBB->front();
  return nullptr;
}

InstructionIterator::InstructionIterator(const FunctionList &Functions,
                                         size_t Function)
    : Functions(&Functions), Function(Function) {
  for (; this->Function < Functions.size(); ++this->Function) {
    MachineFunction &MF = *Functions[this->Function].second;
    Current = firstFrom(MF.begin(), MF);
    if (Current)
      return;
  }
}

InstructionIterator &InstructionIterator::operator++() {
  MachineBasicBlock &MBB = *Current->getParent();
  MachineBasicBlock::iterator Next =
      std::next(MachineBasicBlock::iterator(*Current));
  if (Next != MBB.end()) {
    Current = &*Next;
    return *this;
  }
  Current = firstFrom(std::next(MBB.getIterator()), *MBB.getParent());
  if (!Current)
    *this = InstructionIterator(*Functions, Function + 1);
  return *this;
}

bool isBranch(const MachineInstr &MI) { return MI.isBranch(); }
bool isConditionalBranch(const MachineInstr &MI) {
  return MI.isConditionalBranch();
}
bool isCall(const MachineInstr &MI) { return MI.isCall(); }

} // namespace luthier
