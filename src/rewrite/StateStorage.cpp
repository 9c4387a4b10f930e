// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/StateStorage.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"

using namespace llvm;

namespace luthier {

template <typename Callback>
void StateStorage::forAllLanes(SeamCode &Code, bool KeepSCC,
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

void StateStorage::acquire(SeamCode &Code, const StackPlan &Stack,
                           const Use &Point) const {
  if (Form == StateForm::Vgpr)
    return;
  const MCRegister Address = Point.Address ? Point.Address : this->Address;
  if (usesStack()) {
    Code.set(Address, Stack.Base);
    Code.awaitALU();
  }
  forAllLanes(Code, Point.IsSCCLive, [&] {
    if (Point.IsLive) {
      if (usesStack())
        Code.store(State, Address, StackPlan::Displaced);
      else
        Code.moveVector(Form == StateForm::TwoAgprs ? Aside : Point.Dead,
                        State);
    }
    if (!isOnStack())
      return Code.moveVector(State, Home);
    Code.load(State, Address, StackPlan::State);
    Code.awaitMemory();
  });
  Code.awaitALU();
}

void StateStorage::release(SeamCode &Code, const StackPlan &Stack,
                           const Use &Point) const {
  if (Form == StateForm::Vgpr || (!Point.IsLive && !Point.IsChanged))
    return;
  const MCRegister Address = Point.Address ? Point.Address : this->Address;
  if (usesStack()) {
    Code.set(Address, Stack.Base);
    Code.awaitALU();
  }
  // v_writelane to a move of all lanes, and v_readlane before an overwrite.
  Code.awaitALU();
  forAllLanes(Code, Point.IsSCCLive, [&] {
    if (Point.IsChanged) {
      if (isOnStack())
        Code.store(State, Address, StackPlan::State);
      else
        Code.moveVector(Home, State);
    }
    if (!Point.IsLive)
      return;
    if (!usesStack())
      return Code.moveVector(State,
                             Form == StateForm::TwoAgprs ? Aside : Point.Dead);
    Code.load(State, Address, StackPlan::Displaced);
    Code.awaitMemory();
  });
}

void StateStorage::store(SeamCode &Code, const StackPlan &Stack,
                         MCRegister FreeSGPR) const {
  if (Form == StateForm::Vgpr)
    return;
  if (!isOnStack())
    return Code.moveVector(Home, State);
  Code.set(FreeSGPR, Stack.Base);
  Code.awaitALU();
  Code.store(State, FreeSGPR, StackPlan::State);
}

} // namespace luthier
