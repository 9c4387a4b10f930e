// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the state value array is while the application runs, and how it gets
// into its VGPR for a payload. While it is there, the application's value of
// that VGPR has to be elsewhere, unless it is dead.
//
//   form                between points    the displaced VGPR    EXEC is kept in
//   Vgpr                its VGPR          -                     -
//   Agpr                an AGPR           a dead VGPR or stack  - (both halves)
//   TwoAgprs            an AGPR           another AGPR          - (both halves)
//   AgprAnd3Sgprs       an AGPR           the stack             an SGPR pair
//   SpilledWith3Sgprs   the stack         the stack             an SGPR pair
//   SpilledWith1Sgpr    the stack         the stack             - (both halves)
//
// All lanes must move. With an SGPR pair to keep EXEC in, they do at once; else
// active lanes move, EXEC is inverted, the others move, and EXEC is inverted
// again, which costs SCC: there are two copies of that code, one per value. The
// SGPR left holds the address on the stack; where the application uses all
// SGPRs, each point finds its own way there (StackAccess.h).
#ifndef LUTHIER_REWRITE_EMIT_STATEVALUEARRAYSTORAGE_H
#define LUTHIER_REWRITE_EMIT_STATEVALUEARRAYSTORAGE_H

#include "luthier/Refusal.h"
#include "rewrite/Options.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/emit/StackAccess.h"
#include "rewrite/plan/StackPlan.h"

namespace luthier {

struct StateValueArrayStorage {
  StateValueArrayForm Form = StateValueArrayForm::Vgpr;
  llvm::MCRegister State;       ///< The VGPR for payloads.
  llvm::MCRegister Home, Aside; ///< AGPRs.
  llvm::MCRegister Exec;        ///< SGPR pair, never the application's.
  llvm::MCRegister Address;     ///< SGPR, likewise.

  bool isOnStack() const {
    return Form == StateValueArrayForm::SpilledWith3Sgprs ||
           Form == StateValueArrayForm::SpilledWith1Sgpr;
  }
  /// At every point, as far as the form says.
  bool usesStack() const {
    return isOnStack() || Form == StateValueArrayForm::AgprAnd3Sgprs;
  }

  /// What a point has to do with it.
  struct Use {
    bool IsNeeded = false;
    /// The application needs what is in the VGPR, and SCC.
    bool IsLive = false, IsSCCLive = false;
    llvm::MCRegister Dead; ///< A VGPR that it does not need, if there is one.
    /// The payload puts something into it that is to be kept.
    bool IsChanged = false;
    StackAccess Access; ///< If usesStackAt().
  };
  bool usesStackAt(const Use &Point) const {
    return Point.IsNeeded &&
           (isOnStack() || (Point.IsLive && displacesToStack(Point)));
  }
  /// Brings it into its VGPR. EXEC stays.
  void acquire(CallSiteCode &Code, const StackPlan &Stack,
               const Use &Point) const;
  /// Undoes that.
  void release(CallSiteCode &Code, const StackPlan &Stack,
               const Use &Point) const;
  /// From \p From, where it was put together, to where it stays, at the
  /// kernel's entry, where EXEC is all lanes.
  void store(CallSiteCode &Code, const StackPlan &Stack, llvm::MCRegister From,
             llvm::MCRegister FreeSGPR) const;

private:
  bool displacesToStack(const Use &Point) const {
    return usesStack() || (Form == StateValueArrayForm::Agpr && !Point.Dead);
  }
  template <typename Callback>
  void forAllLanes(CallSiteCode &Code, bool KeepSCC, Callback Move) const;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_STATEVALUEARRAYSTORAGE_H
