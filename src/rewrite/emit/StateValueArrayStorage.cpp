// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/StateValueArrayStorage.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"

using namespace llvm;

namespace luthier {

template <typename Callback>
void StateValueArrayStorage::forAllLanes(CallSiteCode &Code, bool KeepSCC,
                                         Callback Move) const {
  if (Exec) {
    Code.moveMask(Exec, AMDGPU::EXEC);
    Code.activateAll();
    Move();
    Code.moveMask(AMDGPU::EXEC, Exec);
    return;
  }
  auto moveHalves = [&] {
    Move();
    Code.invertExec();
    Move();
    Code.invertExec();
  };
  if (KeepSCC)
    Code.keepingSCC(moveHalves);
  else
    moveHalves();
}

void StateValueArrayStorage::acquire(CallSiteCode &Code, const StackPlan &Stack,
                                     const Use &Point) const {
  if (Form == StateValueArrayForm::Vgpr)
    return;
  const bool UsesStack = usesStackAt(Point);
  if (UsesStack)
    Point.Access.begin(Code, Stack);
  forAllLanes(Code, Point.IsSCCLive, [&] {
    if (Point.IsLive) {
      if (displacesToStack(Point))
        Point.Access.store(Code, Stack, State, StackPlan::Displaced);
      else
        Code.moveVector(
            Form == StateValueArrayForm::TwoAgprs ? Aside : Point.Dead, State);
    }
    if (!isOnStack())
      return Code.moveVector(State, Home);
    Point.Access.load(Code, Stack, State, StackPlan::State);
    Code.awaitStack();
  });
  if (UsesStack)
    Point.Access.end(Code, Stack);
  Code.awaitALU();
}

void StateValueArrayStorage::release(CallSiteCode &Code, const StackPlan &Stack,
                                     const Use &Point) const {
  if (Form == StateValueArrayForm::Vgpr || (!Point.IsLive && !Point.IsChanged))
    return;
  const bool UsesStack = usesStackAt(Point);
  if (UsesStack)
    Point.Access.begin(Code, Stack);
  // v_writelane to a move of all lanes, and v_readlane before an overwrite.
  Code.awaitALU();
  forAllLanes(Code, Point.IsSCCLive, [&] {
    if (Point.IsChanged) {
      if (isOnStack())
        Point.Access.store(Code, Stack, State, StackPlan::State);
      else
        Code.moveVector(Home, State);
    }
    if (!Point.IsLive)
      return;
    if (!displacesToStack(Point))
      return Code.moveVector(
          State, Form == StateValueArrayForm::TwoAgprs ? Aside : Point.Dead);
    Point.Access.load(Code, Stack, State, StackPlan::Displaced);
    Code.awaitStack();
  });
  if (UsesStack)
    Point.Access.end(Code, Stack);
}

void StateValueArrayStorage::store(CallSiteCode &Code, const StackPlan &Stack,
                                   MCRegister From, MCRegister FreeSGPR) const {
  if (!isOnStack()) {
    const MCRegister To = Form == StateValueArrayForm::Vgpr ? State : Home;
    if (To != From)
      Code.moveVector(To, From);
    return;
  }
  Code.set(FreeSGPR, Stack.Base);
  Code.awaitALU();
  Code.store(From, FreeSGPR, StackPlan::State);
}

} // namespace luthier
