// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of a lifted kernel, one after the other:
//
//   for (llvm::MachineInstr &MI : LR.instructions())
#ifndef LUTHIER_INSTRUCTIONS_H
#define LUTHIER_INSTRUCTIONS_H

#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/iterator.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"

namespace luthier {

/// Over all functions, in their order and that of their blocks. Instructions
/// may be inserted and, but for the current one, removed on the way.
class InstructionIterator
    : public llvm::iterator_facade_base<
          InstructionIterator, std::forward_iterator_tag, llvm::MachineInstr> {
  using FunctionList = LiftedRepresentation::FunctionList;

public:
  InstructionIterator(const FunctionList &Functions, size_t Function)
      : Functions(&Functions), Function(Function) {
    enterFunction();
  }
  bool operator==(const InstructionIterator &Other) const {
    return Function == Other.Function &&
           (Function == Functions->size() ||
            (Block == Other.Block && Current == Other.Current));
  }
  llvm::MachineInstr &operator*() const { return *Current; }
  InstructionIterator &operator++() {
    ++Current;
    skipEnds();
    return *this;
  }

private:
  llvm::MachineFunction &function() const {
    return *(*Functions)[Function].second;
  }
  void enterFunction() {
    if (Function == Functions->size())
      return;
    Block = function().begin();
    if (Block != function().end())
      Current = Block->begin();
    skipEnds();
  }
  /// On to the next instruction, from the end of a block or function.
  void skipEnds() {
    while (Block != function().end()) {
      if (Current != Block->end())
        return;
      if (++Block != function().end())
        Current = Block->begin();
    }
    ++Function;
    enterFunction();
  }

  const FunctionList *Functions;
  size_t Function;
  llvm::MachineFunction::iterator Block;
  llvm::MachineBasicBlock::iterator Current;
};

class InstructionRange {
public:
  explicit InstructionRange(const LiftedRepresentation::FunctionList &Functions)
      : Functions(&Functions) {}
  InstructionIterator begin() const { return {*Functions, 0}; }
  InstructionIterator end() const { return {*Functions, Functions->size()}; }

private:
  const LiftedRepresentation::FunctionList *Functions;
};

inline InstructionRange LiftedRepresentation::instructions() const {
  return InstructionRange(functions());
}

} // namespace luthier

#endif // LUTHIER_INSTRUCTIONS_H
