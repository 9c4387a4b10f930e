// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A macro that is forgotten is an error at the handle of the hook.
// RUN: not %tool -O0 2>&1 | FileCheck %s --check-prefix=MARK
// RUN: not %tool -O2 -DMARKED 2>&1 | FileCheck %s --check-prefix=HOOK
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>

__device__ int Value;
#ifdef MARKED
MARK_LUTHIER_DEVICE_MODULE
#endif
LUTHIER_HOOK_ANNOTATE hook(int N) { Value = N; }
// MARK-DAG: not-marked.hip:[[@LINE+1]]:{{.*}} error: hook 'hook' is in a file without MARK_LUTHIER_DEVICE_MODULE: write that at namespace scope
LUTHIER_EXPORT_HOOK_HANDLE(hook);

extern "C" __device__ void plain(int N) { Value = N; }
// MARK-DAG: not-marked.hip:[[@LINE+2]]:{{.*}} error: 'plain' has a handle, but is no hook: begin it with LUTHIER_HOOK_ANNOTATE, in this file
// HOOK: not-marked.hip:[[@LINE+1]]:{{.*}} error: 'plain' has a handle, but is no hook: begin it with LUTHIER_HOOK_ANNOTATE, in this file
LUTHIER_EXPORT_HOOK_HANDLE(plain);
// HOOK: {{^}}1 error generated
