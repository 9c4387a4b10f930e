// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who watches a dispatch instruction by instruction: strict mode, execution
// counts, single steps. Without an observer the fast loop runs, which knows
// nothing of this.
#ifndef LUTHIER_EMULATOR_CORE_OBSERVER_H
#define LUTHIER_EMULATOR_CORE_OBSERVER_H

#include "emulator/core/Inst.h"

namespace luthier::emulator {

struct Wave;
class Workgroup;

/// One object watches one dispatch, which then runs on one host thread.
class DispatchObserver {
public:
  virtual ~DispatchObserver() = default;

  /// \p Group's waves have their initial state.
  virtual void workgroupStarted(Workgroup &Group);
  virtual void workgroupEnded(Workgroup &Group);
  /// Executes \p I, by calling \p Fn on \p W, or faults \p W. The PC of \p W is
  /// past \p I already; Inst::Info is set. In GPR-index mode \p I is a copy
  /// whose operands are shifted, while its Info is not.
  virtual void execute(Wave &W, const Inst &I, Handler Fn) = 0;
  /// A wave whose registers and LDS have a 1 for each bit that \p W's have not
  /// initialised. Null if nobody knows.
  virtual const Wave *uninitialised(const Wave &W);
  /// From now on, so many bits of a lane of its vector register, or of its
  /// scalar register, count as uninitialised.
  virtual void vectorLost(const Wave &W, unsigned Reg, unsigned Lane,
                          uint32_t Bits);
  virtual void scalarLost(const Wave &W, unsigned Reg, uint32_t Bits);
  /// \p W's last instruction stands for a call, return or jump to another
  /// function, though it may not look like one.
  virtual void functionLeft(const Wave &W);

  /// Between instructions somebody else gives values to \p Count of \p W's
  /// scalars from \p First on, to \p Lanes of a row of its vector registers, to
  /// its workgroup's LDS, or to memory. Called before the values are stored.
  virtual void scalarsGiven(Wave &W, unsigned First, unsigned Count);
  virtual void vectorGiven(Wave &W, unsigned Reg, uint64_t Lanes);
  virtual void ldsGiven(Wave &W, uint32_t Offset, uint32_t Size);
  virtual void memoryGiven(uint64_t Address, uint64_t Size);
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_OBSERVER_H
