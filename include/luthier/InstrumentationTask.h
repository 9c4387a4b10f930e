// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool wants inserted, collected while it walks a LiftedRepresentation.
#ifndef LUTHIER_INSTRUMENTATIONTASK_H
#define LUTHIER_INSTRUMENTATIONTASK_H

#include "luthier/Export.h"
#include "luthier/HookArgument.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

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
  FunctionExit,
  Endpgm,
  WaveEnd,
};

/// Hooks are given as what LUTHIER_GET_HOOK_HANDLE returns. Where nothing may
/// stand (inside a clause, a paired sequence or GPR-index mode) a hook runs at
/// the nearest legal place before, or for insertHookAfter() behind, that is
/// reached exactly as often and with the same EXEC; without one, the kernel is
/// refused with NoInsertionPoint.
class LUTHIER_API InstrumentationTask {
public:
  struct Insertion {
    PointKind Kind;
    const llvm::MachineInstr *MI = nullptr;
    /// The block, or the edge's source.
    const llvm::MachineBasicBlock *Block = nullptr;
    const llvm::MachineBasicBlock *To = nullptr;
    const llvm::MachineFunction *MF = nullptr;
    const void *Hook = nullptr;
    llvm::SmallVector<HookArgument, 2> Arguments = {};
  };
  using Arguments = llvm::ArrayRef<HookArgument>;

  /// Each time control reaches \p MI, before it.
  llvm::Error insertHookBefore(const llvm::MachineInstr &MI, const void *Hook,
                               Arguments Args = {});
  /// Each time \p MI has run: after a call, when it has returned; after a
  /// branch, on each way it can take. There is no place after instructions that
  /// end the wave or leave the function.
  llvm::Error insertHookAfter(const llvm::MachineInstr &MI, const void *Hook,
                              Arguments Args = {});
  /// Each time control reaches \p MBB, from wherever.
  llvm::Error insertHookAtBlockBegin(const llvm::MachineBasicBlock &MBB,
                                     const void *Hook, Arguments Args = {});
  /// Each time control is about to leave \p MBB: before its branch, if it has
  /// one.
  llvm::Error insertHookAtBlockEnd(const llvm::MachineBasicBlock &MBB,
                                   const void *Hook, Arguments Args = {});
  /// Each time control goes from \p From to its successor \p To.
  llvm::Error insertHookOnEdge(const llvm::MachineBasicBlock &From,
                               const llvm::MachineBasicBlock &To,
                               const void *Hook, Arguments Args = {});
  /// Each time \p MF is entered; loops to its first block do not count.
  llvm::Error insertHookAtFunctionEntry(const llvm::MachineFunction &MF,
                                        const void *Hook, Arguments Args = {});
  /// Before each return, tail call and end of the wave in \p MF. Jumps through
  /// registers to places that Luthier does not know count.
  llvm::Error insertHookAtFunctionExits(const llvm::MachineFunction &MF,
                                        const void *Hook, Arguments Args = {});
  /// Once per wave, before anything else.
  llvm::Error insertHookAtKernelEntry(const void *Hook, Arguments Args = {});
  /// Before every s_endpgm, in all functions.
  llvm::Error insertHookAtEndpgm(const void *Hook, Arguments Args = {});
  /// Once per wave, as the last thing that it does: before s_endpgm, and before
  /// it gives its registers back (MSG_DEALLOC_VGPRS).
  llvm::Error insertHookAtWaveEnd(const void *Hook, Arguments Args = {});

  /// At every place where a hook could run, before the hooks there: writes
  /// garbage, made from \p Seed, to every register and flag that Luthier's
  /// analyses call free there. A kernel that computes something else then, or a
  /// tool that counts something else, shows a fault of Luthier. Registers and
  /// flags that hooks name are left alone.
  void overwriteFreeRegisters(uint64_t Seed) { PoisonSeed = Seed; }
  std::optional<uint64_t> poisonSeed() const { return PoisonSeed; }

  /// Besides, where blocks begin and before about every eighth instruction:
  /// writes garbage, made from \p Seed, to the first 64 bytes of what hooks
  /// have as their stack, in all lanes. This takes hooks: what a kernel refuses
  /// them for, it refuses this for; unless \p WhereHooksFit and the task has no
  /// others, which leaves the stack of such a kernel out.
  void overwriteFreeStack(uint64_t Seed, bool WhereHooksFit = false) {
    StackSeed = Seed;
    IsStackOptional = WhereHooksFit;
  }
  std::optional<uint64_t> stackSeed() const { return StackSeed; }
  bool isStackOptional() const { return IsStackOptional && Insertions.empty(); }

  llvm::ArrayRef<Insertion> insertions() const { return Insertions; }

private:
  llvm::Error add(Insertion Where, const void *Hook, Arguments Args);

  llvm::SmallVector<Insertion, 0> Insertions;
  std::optional<uint64_t> PoisonSeed;
  std::optional<uint64_t> StackSeed;
  bool IsStackOptional = false;
};

} // namespace luthier

#endif // LUTHIER_INSTRUMENTATIONTASK_H
