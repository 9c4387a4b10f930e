// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tools of one library with the same hooks.
#ifndef LUTHIER_TEST_E2E_CONTROL_TWINS_H
#define LUTHIER_TEST_E2E_CONTROL_TWINS_H

#include "luthier/luthier.h"

/// At a kernel's entry and when waves end: adds up this tool's launch value,
/// and a number that it gives, once for each wave.
void insertTwinHooks(luthier::InstrumentationTask &Task, uint64_t Number);

/// Gives each launch a value.
struct Twin : luthier::Tool {
  Twin(uint64_t Value, uint64_t Number) : Value(Value), Number(Number) {}

private:
  llvm::Error instrument(luthier::LiftedRepresentation &,
                         luthier::InstrumentationTask &Task) override {
    insertTwinHooks(Task, Number);
    return llvm::Error::success();
  }
  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    if (Dispatch.Kernel.isRuntimeKernel())
      return;
    Dispatch.LaunchValue = Value;
    Dispatch.GroupBytes = Value;
    Tool::onDispatch(Dispatch);
  }

  const uint64_t Value, Number;
};

#endif // LUTHIER_TEST_E2E_CONTROL_TWINS_H
