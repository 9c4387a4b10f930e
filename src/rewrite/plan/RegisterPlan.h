// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers the payloads of a kernel and the code around them have. They
// lie above the application's wherever there is room; else some are borrowed
// from it, which the code around each payload saves as far as they are live.
#ifndef LUTHIER_REWRITE_PLAN_REGISTERPLAN_H
#define LUTHIER_REWRITE_PLAN_REGISTERPLAN_H

#include "amdgpu/RegisterFiles.h"
#include "analysis/RegisterUse.h"
#include "hook/Payload.h"
#include "hook/ir/HookNeeds.h"
#include "luthier/LiftedRepresentation.h"
#include "rewrite/Options.h"
#include "rewrite/emit/StateValueArrayStorage.h"
#include "rewrite/plan/KernargGrowth.h"
#include "rewrite/plan/StackPlan.h"
#include "rewrite/plan/VariantPlan.h"
#include <optional>

namespace luthier {

/// How far an attempt to find registers goes. Each step costs something at
/// every call site, so the first that works is taken.
struct RegisterFallback {
  RegisterPolicy Policy = RegisterPolicy::Grow;
  /// Counters take scalar registers that payloads need rarely.
  bool FewSGPRs = false;
  bool BorrowVGPRs = false;
  bool BorrowSGPRs = false;
  bool Stack = false; ///< Payloads may spill.
};

/// In order of what call sites cost: registers above the application's, as many
/// for counters as possible and then fewer, then borrowed vector registers and
/// a stack, then borrowed scalar registers, too. Under RegisterPolicy::NoGrow,
/// four more follow that may cost the kernel registers, but never waves. \p
/// SavesAll (InstrumenterOptions) takes the last form at once.
llvm::SmallVector<RegisterFallback, 8> registerFallbacks(RegisterPolicy Policy,
                                                         bool SavesAll);

/// Of the ABI, in front of the first argument: VccSave, ExecSave (aligned
/// pairs), SccSave, M0Save, ModeSave, StackPointer.
inline constexpr unsigned NumReservedSGPRs = 8;

/// What all hooks of a kernel need together.
struct KernelNeeds : HookNeeds {
  /// Of tools whose hooks ask for launchValue() or groupMemory(). What the
  /// first reads is among the HiddenArguments.
  std::vector<LaunchShare> LaunchShares;
};

struct RegisterPlan {
  const amdgpu::RegisterFiles *Files = nullptr;
  PayloadABI ABI;
  RegisterUse Use;
  /// Set if the state value array exists.
  std::optional<StateValueArrayStorage> State;
  /// They are loaded at each point.
  bool SpillsWorkItemIds = false;
  /// A VGPR that the launch leaves free, for what is put together at the
  /// kernel's entry and then stored: points have it where the launch has ids.
  llvm::MCRegister Entry;
  /// What the counters in scalar registers begin with; more begin with zero.
  llvm::SmallVector<uint64_t, 4> CounterStarts;
  StackPlan Stack;
  KernelNeeds Needs;
  KernargGrowth Kernarg;

  /// The ABI's register for it, whether or not payloads have a stack.
  llvm::MCRegister stackPointer() const {
    return Files->sgpr(ABI.FirstArgumentSGPR - 1);
  }
  /// Wave counters that are lanes of the state value array.
  unsigned countersInState() const {
    return std::min(Needs.Accumulators - ABI.NumScalarCounters,
                    accumulatorCount(ABI.WaveSize));
  }
  bool isApplicationSGPR(unsigned N) const { return N < Use.SGPRs; }
  bool isApplicationVGPR(unsigned N) const { return N < Use.VGPRs; }
};

/// For code in which nothing calls hooks.
RegisterPlan registersWithoutHooks(const LiftedRepresentation &LR,
                                   const RegisterUse &Use);

/// Refuses with RegisterBudget if \p Attempt does not go far enough.
llvm::Expected<RegisterPlan>
planRegisters(const LiftedRepresentation &LR, const RegisterUse &Use,
              const VariantPlan &Variants, const KernelNeeds &Needs,
              const InstrumenterOptions &Options, RegisterFallback Attempt);

/// The registers that the ABI and the payloads take, and \p Code at least.
RegisterUse registersOf(const RegisterPlan &Plan,
                        llvm::ArrayRef<Payload> Payloads, RegisterUse Code);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_REGISTERPLAN_H
