// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which jumps over code that no lane is left for are probably rare. Nothing in
// machine code says how often a branch is taken; what lanes are compared with
// tells something about it.
#ifndef LUTHIER_ANALYSIS_RARESKIPS_H
#define LUTHIER_ANALYSIS_RARESKIPS_H

#include <cstddef>
#include <vector>

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
} // namespace llvm

namespace luthier {

/// Of one function, which does not change meanwhile.
class RareSkips {
public:
  explicit RareSkips(const llvm::MachineFunction &MF);

  /// \p MBB, in \p LoopDepth loops, ends by a jump to \p Next where EXEC is
  /// zero, over code that comes to \p Next as well, and most waves do not take
  /// it. Either it goes over much of a function, in no loop: its body, in which
  /// few waves have nothing to do. Or lanes go on whose number is below a bound
  /// (a register, such as the number of elements), above a constant, or not
  /// some number: most waves have such a lane. What lanes do whose number is
  /// one of few is as often something that most waves have no lane for.
  bool isRare(const llvm::MachineBasicBlock &MBB,
              const llvm::MachineBasicBlock &Next, unsigned LoopDepth) const;

private:
  bool skipsMuch(const llvm::MachineBasicBlock &MBB,
                 const llvm::MachineBasicBlock &Next) const;

  /// Instructions in the blocks whose numbers are below an index.
  std::vector<size_t> Before;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_RARESKIPS_H
