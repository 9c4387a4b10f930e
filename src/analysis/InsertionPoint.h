// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code is inserted. Everything that is asked about such a point (what is
// live, what is in flight, whether code may stand there) and everything that
// puts code there takes this type.
#ifndef LUTHIER_ANALYSIS_INSERTIONPOINT_H
#define LUTHIER_ANALYSIS_INSERTIONPOINT_H

#include <utility>

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

/// In front of an instruction, wherever control comes from; where a call or
/// jump that FollowsPointer goes to code that is not lifted; between two
/// blocks; or where a function is entered from outside, which branches back to
/// its first block do not pass.
class InsertionPoint {
public:
  InsertionPoint() = default;
  static InsertionPoint before(const llvm::MachineInstr &MI);
  /// Everything but the register that a call leaves its return address in is as
  /// before \p Transfer.
  static InsertionPoint leaving(const llvm::MachineInstr &Transfer);
  static InsertionPoint edge(const llvm::MachineBasicBlock &From,
                             const llvm::MachineBasicBlock &To);
  static InsertionPoint entry(const llvm::MachineFunction &MF);

  /// The instruction that follows, or that leaves; null at edges and entries.
  const llvm::MachineInstr *instruction() const { return MI; }
  bool isLeaving() const { return IsLeaving; }
  /// The block that begins at the point; null before instructions, and at the
  /// entry of a function without code.
  const llvm::MachineBasicBlock *block() const { return Next; }
  /// The block that an edge comes from; null at other points.
  const llvm::MachineBasicBlock *source() const { return From; }
  /// The function that is entered; null at other points.
  const llvm::MachineFunction *function() const { return MF; }

  /// Equal for equal points only; can be hashed.
  using Key = std::pair<const void *, const void *>;
  Key key() const;
  friend bool operator==(const InsertionPoint &A, const InsertionPoint &B) {
    return A.key() == B.key();
  }

private:
  const llvm::MachineInstr *MI = nullptr;
  const llvm::MachineBasicBlock *From = nullptr, *Next = nullptr;
  const llvm::MachineFunction *MF = nullptr;
  bool IsLeaving = false;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INSERTIONPOINT_H
