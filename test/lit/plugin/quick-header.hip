// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// luthier/luthier.h is all that a tool needs which asks of instructions what
// Luthier answers. It compiles quickly, as it has none of the headers of LLVM's
// machine IR, nor those of the standard library that take long.
// RUN: %tool -O0 -isystem %llvm_include
// RUN: %hosttool -O0 -isystem %llvm_include -M
// RUN: FileCheck %s --input-file %t.o
// CHECK: luthier/luthier.h
// CHECK-NOT: llvm/{{CodeGen|IR|Analysis|Target}}/
// CHECK-NOT: {{SIInstrInfo|AMDGPUMCTargetDesc|AMDGPUGen|BitVector}}
// CHECK-NOT: {{/(regex|iostream|filesystem|future|random|ranges|format)[ \\]}}
#include <luthier/luthier.h>

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Branches;

LUTHIER_HOOK_ANNOTATE count() { luthier::waveAtomicAdd(&Branches, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(count);

struct Tool : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (llvm::MachineInstr &MI : LR.instructions())
      if (luthier::isConditionalBranch(MI) || luthier::isCall(MI))
        Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(count));
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Tool)
