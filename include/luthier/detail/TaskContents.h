// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an InstrumentationTask collects, as the engine reads it.
#ifndef LUTHIER_DETAIL_TASKCONTENTS_H
#define LUTHIER_DETAIL_TASKCONTENTS_H

#include "luthier/HookArgument.h"
#include "luthier/detail/WorkgroupRange.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <deque>
#include <optional>

namespace llvm {
class MachineBasicBlock; // #include "luthier/MachineIR.h"
class MachineFunction;   // #include "luthier/MachineIR.h"
class MachineInstr;      // #include "luthier/MachineIR.h"
} // namespace llvm

namespace luthier {

class InstrumentationTask;

/// Kinds of points, in the order in which the hooks run of points that fall on
/// the same place in the code. Hooks of one kind run in the order in which they
/// were inserted.
enum class PointKind {
  KernelEntry,
  FunctionEntry,
  Edge,
  BlockBegin,
  AfterInstruction,
  BlockEnd,
  BeforeInstruction,
  Leaving,
  FunctionExit,
  Endpgm,
  WaveEnd,
};

namespace detail {

/// A hook to run at each point of a kind.
struct InsertionRequest {
  PointKind Kind;
  const llvm::MachineInstr *MI = nullptr;
  /// The block, or the edge's source.
  const llvm::MachineBasicBlock *Block = nullptr;
  const llvm::MachineBasicBlock *To = nullptr;
  const llvm::MachineFunction *MF = nullptr;
  const void *Hook = nullptr;
  llvm::SmallVector<HookArgument, 2> Arguments = {};
  /// Of the task's, those in which it runs: of several tools, each has its own.
  WorkgroupRange Workgroups = {};
  /// Which of several tools asks for it.
  unsigned Tool = 0;
};

/// What Luthier does to test itself, with hooks or without: a kernel that
/// computes something else then, or a tool that counts something else, shows a
/// fault of Luthier.
struct SelfTest {
  /// At every place where a hook could run, before the hooks there, write
  /// garbage, made from this seed, to every register and flag that Luthier's
  /// analyses call free there. Registers and flags that hooks name are left
  /// alone.
  std::optional<uint64_t> RegisterSeed;
  /// Besides, where blocks begin and before about every eighth instruction,
  /// write garbage, made from this seed, to the first 64 bytes of what hooks
  /// have as their stack, in all lanes. This takes hooks: what a kernel refuses
  /// them for, it refuses this for.
  std::optional<uint64_t> StackSeed;
  /// But without other hooks, leaves the stack of such a kernel out.
  bool IsStackOptional = false;
};

struct TaskContents {
  /// There may be one for each instruction, and they are large: none moves.
  std::deque<InsertionRequest> Insertions;
  WorkgroupRange Workgroups;
  SelfTest Test;

  bool isEmpty() const {
    return Insertions.empty() && !Test.RegisterSeed && !Test.StackSeed;
  }
  bool isStackOptional() const {
    return Test.IsStackOptional && Insertions.empty();
  }
};

inline TaskContents &contentsOf(InstrumentationTask &Task);
inline const TaskContents &contentsOf(const InstrumentationTask &Task) {
  return contentsOf(const_cast<InstrumentationTask &>(Task));
}

} // namespace detail

} // namespace luthier

#endif // LUTHIER_DETAIL_TASKCONTENTS_H
