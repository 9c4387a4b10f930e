// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one run of a payload overwrites that the application still needs, and
// where it is meanwhile.
#ifndef LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H
#define LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H

#include "analysis/KernelFacts.h"
#include "analysis/RegisterSet.h"
#include "hook/Payload.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/RegisterPlan.h"
#include "llvm/ADT/SmallVector.h"

namespace luthier {

struct CallSiteSpills {
  /// Flags that go through the ABI's copies.
  bool SCC = false, VCC = false, EXEC = false, M0 = false, MODE = false;
  /// The payload reads or writes the state value array, or scalars go there.
  StateValueArrayStorage::Use State;
  bool WorkItemIds = false; ///< Have to be loaded.

  /// Application registers, by number. Scalars: the first ones in lanes of the
  /// state value array, as scalarLane() says, the rest in lanes of the first of
  /// Vectors, once that is on the stack.
  llvm::SmallVector<unsigned, 8> Scalars, Vectors;
  /// Counters on the stack that the payload reads or adds to: by number, of
  /// their VGPRs.
  llvm::SmallVector<unsigned, 1> Counters;
  /// A vector operation has to follow the payload's v_cmpx (Permutes in
  /// KernelFacts); it writes the copy of EXEC.
  bool TouchesVectors = false;
  /// Any is overwritten, live or not.
  bool Borrows = false;
  /// Registers of the application that the code around the payload reads or
  /// overwrites, or the payload does: a load may be in flight to one.
  RegisterSet Touched;
  /// What has to be waited for because of that; the planner of call sites fills
  /// it in.
  WaitCounts Waits;

  /// Vectors with a slot, for all lanes.
  bool hasVectors() const { return !Vectors.empty() || !Counters.empty(); }
};

/// Lanes of the state value array that scalars can be put aside in.
unsigned scalarLaneCount(unsigned WaveSize);
unsigned scalarLane(unsigned N);

/// What the application needs at a call site, and what of that was asked.
class LiveThere {
public:
  explicit LiveThere(const RegisterSet &Live) : Live(Live) {}

  bool sgpr(unsigned N) {
    Asked.addSGPR(N);
    return Live.sgpr(N);
  }
  bool vgpr(unsigned N) {
    Asked.addVGPR(N);
    return Live.vgpr(N);
  }
  bool has(RegisterSet::Special S) {
    Asked.add(S);
    return Live.has(S);
  }
  bool vcc() {
    const bool Low = has(RegisterSet::VCCLo), High = has(RegisterSet::VCCHi);
    return Low || High;
  }
  const RegisterSet &asked() const { return Asked; }

private:
  const RegisterSet &Live;
  RegisterSet Asked;
};

/// Refuses with RegisterBudget what cannot be put aside. \p SavesAll is
/// InstrumenterOptions::SavesAll.
llvm::Expected<CallSiteSpills>
planSpills(const amdgpu::MCTarget &Target, const RegisterPlan &Plan,
           const KernelFacts &Facts, const Payload &P, const CallSite &Site,
           LiveThere &Live, bool SavesAll);

/// Puts the scalars aside that the ABI's own registers overwrite; needs
/// nothing but the state value array. And back, last of all.
void saveScalars(CallSiteCode &Code, const RegisterPlan &Plan,
                 const CallSiteSpills &S);
void restoreScalars(CallSiteCode &Code, const RegisterPlan &Plan,
                    const CallSiteSpills &S);
/// The rest, with EXEC = all lanes; overwrites the ABI's stack pointer.
/// Counters are brought into their registers meanwhile.
void saveVectors(CallSiteCode &Code, const RegisterPlan &Plan,
                 const CallSiteSpills &S);
void restoreVectors(CallSiteCode &Code, const RegisterPlan &Plan,
                    const CallSiteSpills &S);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_CALLSITESPILLS_H
