// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that a kernel calls are lifted with it, each once; what cannot
// be followed is marked.
// RUN: %device -mcpu=gfx90a %s -o %t.90a
// RUN: luthier lift %t.90a --kernel entry | FileCheck %s
// RUN: %device -mcpu=gfx906 -O0 %s -o %t.906
// RUN: luthier lift %t.906 --kernel entry | FileCheck %s
// RUN: %device -mcpu=gfx942 -O0 %s -o %t.942
// RUN: luthier lift %t.942 --kernel entry | FileCheck %s
// RUN: %device -mcpu=gfx1030 -mwavefrontsize64 %s -o %t.1030
// RUN: luthier lift %t.1030 --kernel entry | FileCheck %s
// RUN: %device -mcpu=gfx1100 -O0 %s -o %t.1100
// RUN: luthier lift %t.1100 --kernel entry | FileCheck %s
// RUN: %device -mcpu=gfx1201 -Os %s -o %t.1201
// RUN: luthier lift %t.1201 --kernel entry | FileCheck %s
#include "kernel.h"

#define NOINLINE extern "C" __attribute__((noinline))

// Through the global offset table.
NOINLINE __attribute__((visibility("default"))) int exported(int X) {
  return X * 3 + 1;
}
NOINLINE int recursive(int N) {
  return N < 2 ? exported(N) : recursive(N - 1) + recursive(N - 2);
}
NOINLINE int through(int (*F)(int), int X) { return F(X) + 1; }

// CHECK: # kernel entry for
// CHECK: S_SWAPPC_B64 {{.*}}# calls recursive
// CHECK: S_SWAPPC_B64 {{.*}}# calls through
// CHECK: S_ENDPGM
// CHECK: # function recursive for
// CHECK-NOT: unknown
// CHECK: S_SETPC_B64 {{.*}}# returns
// CHECK: # function through for
// CHECK: S_SWAPPC_B64 {{.*}}# calls a function whose address is taken
// CHECK: S_SETPC_B64 {{.*}}# returns
// CHECK: # function exported for
// CHECK-NOT: unknown
// CHECK: S_SETPC_B64 {{.*}}# returns
// CHECK-NOT: # function
extern "C" KERNEL void entry(Int *To, int Value) {
  To[id()] = recursive(Value) + through(exported, Value);
}
