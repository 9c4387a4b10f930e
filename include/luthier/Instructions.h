// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of a lifted kernel, one after the other, and what most tools
// ask of them:
//
//   for (llvm::MachineInstr &MI : LR.instructions())
//     if (luthier::isBranch(MI))
//
// Neither needs LLVM's definition of an instruction, which luthier/MachineIR.h
// has. More questions: MemoryAccess.h, Mnemonic.h, InstructionRuns.h.
#ifndef LUTHIER_INSTRUCTIONS_H
#define LUTHIER_INSTRUCTIONS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include <cstddef>
#include <iterator>

namespace luthier {

/// Over all functions, in their order and that of their blocks. Instructions
/// may be inserted and, but for the current one, removed on the way.
class LUTHIER_API InstructionIterator {
  using FunctionList = LiftedRepresentation::FunctionList;

public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = llvm::MachineInstr;
  using difference_type = std::ptrdiff_t;
  using pointer = llvm::MachineInstr *;
  using reference = llvm::MachineInstr &;

  InstructionIterator() = default;
  /// At the first instruction of the functions from number \p Function on.
  InstructionIterator(const FunctionList &Functions, size_t Function);

  llvm::MachineInstr &operator*() const { return *Current; }
  llvm::MachineInstr *operator->() const { return Current; }
  InstructionIterator &operator++();
  InstructionIterator operator++(int) {
    InstructionIterator Before = *this;
    ++*this;
    return Before;
  }
  friend bool operator==(const InstructionIterator &A,
                         const InstructionIterator &B) {
    return A.Current == B.Current;
  }

private:
  const FunctionList *Functions = nullptr;
  size_t Function = 0;
  llvm::MachineInstr *Current = nullptr; ///< Null at the end.
};

class InstructionRange {
public:
  explicit InstructionRange(const LiftedRepresentation::FunctionList &Functions)
      : Functions(&Functions) {}
  InstructionIterator begin() const { return {*Functions, 0}; }
  InstructionIterator end() const { return {}; }

private:
  const LiftedRepresentation::FunctionList *Functions;
};

inline InstructionRange LiftedRepresentation::instructions() const {
  return InstructionRange(functions());
}

/// Jumps, or may do so.
LUTHIER_API bool isBranch(const llvm::MachineInstr &MI);
/// Is a branch that does not always jump.
LUTHIER_API bool isConditionalBranch(const llvm::MachineInstr &MI);
/// Calls a function that comes back.
LUTHIER_API bool isCall(const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_INSTRUCTIONS_H
