// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang-format off: messages name lines.
//
// (Without optimisation LLVM ends the process on computed gotos itself.)
// RUN: not %tool -O3 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ unsigned Value;
MARK_LUTHIER_DEVICE_MODULE

// CHECK: computed-goto.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use computed goto, which 'interpret(unsigned char const*)' (called by hook 'interpreter') does
__device__ unsigned interpret(const unsigned char *Code) {
  static const void *const Labels[] = {&&Add, &&Double, &&End};
  unsigned V = 1;
  goto *Labels[*Code];
Add:
  V += 3;
  goto *Labels[*++Code];
Double:
  V *= 2;
  goto *Labels[*++Code];
End:
  return V;
}
__device__ const unsigned char Program[] = {0, 1, 1, 0, 2};
LUTHIER_HOOK_ANNOTATE interpreter() { Value = interpret(Program); }
// CHECK: {{^}}1 error generated
