// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs before the application's first instruction: gets hold of the launch
// state that hooks ask for, sets up the instrumentation stack, loads arguments
// that hardware would have preloaded, and leaves every register as the
// application expects it.
#ifndef LUTHIER_REWRITE_EMIT_PROLOGUE_H
#define LUTHIER_REWRITE_EMIT_PROLOGUE_H

#include "codeobject/KernelDescriptor.h"
#include "codeobject/LaunchLayout.h"
#include "hook/Payload.h"
#include "luthier/detail/WorkgroupRange.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/emit/StateValueArrayStorage.h"
#include <optional>

namespace luthier {

/// Sends waves of other workgroups to the original.
struct WorkgroupGuard {
  detail::WorkgroupRange Inside;
  uint64_t Original = 0; ///< Its entry on the device.
};

struct PrologueNeeds {
  /// stateBit() of each value to capture; LdsBase included.
  uint64_t StateValues = 0;
  /// Set if the state value array exists, whatever it has to hold.
  std::optional<StateValueArrayStorage> State;
  /// Where work-item ids go; invalid if nobody asks.
  llvm::MCRegister WorkItemIds;
  /// They are to be found on the stack at points, not in that register.
  bool SpillWorkItemIds = false;
  /// Where either is put together if its own register holds launch state.
  llvm::MCRegister Entry;
  /// See PayloadABI; what they begin with.
  unsigned FirstCounterSGPR = 0, FirstCounterVGPR = 0, NumCounterVGPRs = 0;
  unsigned FirstLaneVGPR = 0, NumLaneCounters = 0;
  /// Those that are in counters, and where the arguments are that they are
  /// computed from.
  KeptNumbers Numbers;
  /// They are computed later; see emitNumbers().
  bool NumbersAreLate = false;
  std::map<HiddenArgument, unsigned> HiddenArguments;
  unsigned WaveSize = 64;
  /// Vector registers that the application itself has.
  unsigned ApplicationVGPRs = 0;
  llvm::SmallVector<uint64_t, 4> CounterStarts;
  /// Scalar registers from here on are not the application's; 0: none are.
  unsigned OwnSGPR = 0;
  /// One past the last there can be.
  unsigned SGPRLimit = 0;
  StackPlan Stack;
  /// Bytes of a lane's private memory that the application knows of; packets
  /// ask for more if there is a stack.
  unsigned ApplicationStack = 0;
  /// Bytes of shared memory of hooks, and their alignment.
  unsigned LdsBytes = 0, LdsAlign = 1;
  /// Code branches on SCC, to keep it, maybe before the application has set it.
  bool DefinesSCC = false;
  /// The kernel begins where its preloaded arguments are in registers already.
  bool PreloadsArguments = false;

  std::optional<WorkgroupGuard> Guard;

  bool any() const {
    return State || WorkItemIds || Stack.IsUsed || Guard || !Numbers.empty();
  }
  /// Whether it asks for the ids of work-items.
  bool readsIds() const { return WorkItemIds || Numbers.needsWaveInGroup(); }
  /// Scalar registers above all launch state that the prologue uses.
  unsigned temporaries() const {
    return Numbers.empty() ? 4 : 5 + NumKeptNumbers;
  }
};

class Prologue {
public:
  /// Asks for what is missing in \p Descriptor.
  Prologue(const PrologueNeeds &Needs, KernelDescriptor &Descriptor,
           const LaunchTraits &Traits);

  void write(CallSiteCode &Code) const;
  /// Scalar registers that must exist, those the application expects included.
  unsigned sgprEnd() const {
    return Needs.any() || copiesKernargPtr() ? Temporary + Needs.temporaries()
                                             : 0;
  }

private:
  /// Vector instructions or other units may still be about to write what the
  /// application reads.
  bool leavesHazards() const;
  void setUpScratch(CallSiteCode &Code) const;
  void computeNumbers(CallSiteCode &Code) const;
  void keepFirstItem(CallSiteCode &Code) const;
  void computeBlock(CallSiteCode &Code) const;
  void computeWaveInGroup(CallSiteCode &Code) const;
  void computeWaveInGroupInLanes(CallSiteCode &Code) const;
  void computeWaveInGroupAsScalar(CallSiteCode &Code) const;
  void captureNumbers(CallSiteCode &Code) const;
  void setCounters(CallSiteCode &Code) const;
  void clearLaneCounters(CallSiteCode &Code) const;
  void clearStackCounters(CallSiteCode &Code, llvm::MCRegister Zero) const;
  llvm::MCRegister numberRegister(CallSiteCode &Code, KeptNumber N) const;
  unsigned numberPlace(KeptNumber N) const;
  unsigned counterPlace(unsigned Counter) const {
    return Needs.FirstCounterSGPR + 2 * Counter;
  }
  llvm::MCRegister idRegister(CallSiteCode &Code) const;
  void captureIds(CallSiteCode &Code) const;
  void maskIds(CallSiteCode &Code) const;
  void captureState(CallSiteCode &Code) const;
  void captureLane(CallSiteCode &Code, unsigned Lane, unsigned SGPR) const;
  void captureWorkgroupIds(CallSiteCode &Code) const;
  void captureLdsBase(CallSiteCode &Code) const;
  /// SCC says whether the wave stays, until the other leaves.
  void findWorkgroup(CallSiteCode &Code) const;
  void leaveOthers(CallSiteCode &Code) const;
  /// Number of the workgroup on an axis; may need \p Temporary for it.
  llvm::MCRegister workgroupId(CallSiteCode &Code, StateValue Axis,
                               llvm::MCRegister Temporary) const;
  void moveToOriginal(CallSiteCode &Code) const;
  void loadArguments(CallSiteCode &Code) const;
  /// The application has it nowhere.
  bool copiesKernargPtr() const {
    return Needs.PreloadsArguments && !Before.at(LaunchValue::KernargPtr);
  }
  /// Where the copy is: past those that moveToOriginal() and its cycles use.
  unsigned kernargCopy() const { return Temporary + 2; }
  /// \p Wanted, or the register to use instead of it at the entry.
  llvm::MCRegister atEntry(CallSiteCode &Code, llvm::MCRegister Wanted) const;
  llvm::MCRegister stateRegister(CallSiteCode &Code) const {
    return atEntry(Code, Needs.State->State);
  }
  /// See LaunchTraits::RemembersScalarReads. Vector instructions then read none
  /// of the application's registers, which it writes without waiting.
  bool avoidsReads() const {
    return Needs.OwnSGPR && Traits.RemembersScalarReads;
  }
  bool wants(StateValue Value) const {
    return Needs.StateValues & stateBit(Value);
  }

  PrologueNeeds Needs;
  LaunchTraits Traits;
  LaunchLayout Before, After;
  /// Arguments that the application expects in registers, in dwords.
  unsigned Preloaded, PreloadOffset;
  /// Ids that the application asked for: 0 for x, 2 for all.
  unsigned IdsBefore;
  /// First of those SGPRs above all launch state, which are free at entry;
  /// even.
  unsigned Temporary;
  /// Counters hold no launch state, and numbers come to be where they are kept.
  bool ComputesInCounters;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_PROLOGUE_H
