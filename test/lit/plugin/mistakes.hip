// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typical mistakes in a tool: each is an error at the tool's line that says what
// to write; see docs/writing-a-tool.md.
// RUN: not %tool -O0 -isystem %llvm_include 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Counters.h>
#include <luthier/CountingTool.h>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Counts[16][2];

LUTHIER_HOOK_ANNOTATE forgotten() {}
LUTHIER_HOOK_ANNOTATE hook(uint32_t) {}
LUTHIER_EXPORT_HOOK_HANDLE(hook);
LUTHIER_HOOK_ANNOTATE wide(uint64_t) {}
LUTHIER_EXPORT_HOOK_HANDLE(wide);

struct Right : CountingTool {
  Right() : CountingTool("right", Counts, {{"a", "a"}, {"b", "b"}}) {}
  llvm::Error count(LiftedRepresentation &, InstrumentationTask &Task,
                    uint32_t Row) override {
    // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: use of undeclared identifier 'LUTHIER_EXPORT_HOOK_HANDLE_is_missing_for_forgotten'
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(forgotten));
    // CHECK-DAG: error: {{.*}}the hook has more parameters than are given arguments: write one for each in the braces
    // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} note: in instantiation of default function argument
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(hook));
    // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is an integer, its argument is not: give a number
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(hook), {"seven"});
    // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is an integer, its argument is not: give a number
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(wide), {"a text"});
    // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: {{.*}}a hook is named by its handle: write LUTHIER_GET_HOOK_HANDLE(hook) for hook
    Task.insertHookAtWaveEnd(hook, {1u});
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Right)

struct NoTool {};
namespace no_tool {
// CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: static assertion failed {{.*}}NoTool is no tool: write struct NoTool : luthier::Tool
LUTHIER_TOOL(NoTool)
} // namespace no_tool

class OwnTool : Tool {};
namespace own_tool {
// CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: static assertion failed {{.*}}OwnTool is no tool: write struct OwnTool : luthier::Tool, or, of a class, public luthier::Tool
LUTHIER_TOOL(OwnTool)
} // namespace own_tool

struct NoCount : CountingTool {
  NoCount() : CountingTool("no-count", Counts, {{"a", "a"}, {"b", "b"}}) {}
};
namespace no_count {
// CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: static assertion failed {{.*}}NoCount lacks a function that its base class needs: override count() with the same parameters
LUTHIER_TOOL(NoCount)
} // namespace no_count

struct TakesNumber : Tool {
  explicit TakesNumber(int) {}
};
namespace takes_number {
// CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: static assertion failed {{.*}}Luthier makes the tool itself: give TakesNumber a public constructor without parameters
LUTHIER_TOOL(TakesNumber)
} // namespace takes_number

// CHECK-DAG: mistakes.hip:[[@LINE+2]]:{{.*}} error: member access into incomplete type 'const llvm::MachineInstr'
// CHECK-DAG: class MachineInstr;{{ +}}// #include "luthier/MachineIR.h"
unsigned opcodeOf(const llvm::MachineInstr &MI) { return MI.getOpcode(); }

struct OtherWidth : CountingTool {
  // CHECK-DAG: mistakes.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the table's rows have more or fewer numbers than there are columns: write {"key", "title"} for each number
  OtherWidth() : CountingTool("width", Counts, {{"a", "a"}}) {}
};
