// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that a kernel reaches through pointers stays as it is, and that is said
// for each kernel that does so, also where only a function of it does.
// RUN: %device -mcpu=gfx90a %s -o %t.90a
// RUN: luthier instrument %t.90a --tool instr-count -o %t.out | FileCheck %s
// RUN: %device -mcpu=gfx1100 %s -o %t.1100
// RUN: luthier instrument %t.1100 --tool instr-count -o %t.out | FileCheck %s
#include "kernel.h"

using Function = int (*)(int);
extern "C" __attribute__((noinline)) int both(Function *F, int X) {
  return F[0](X) + F[1](X);
}

// CHECK: {{^}}gfx{{[0-9a-f]+}}: onlyKnown: {{[0-9]+}} hooks
// CHECK-NEXT: {{^}}gfx{{[0-9a-f]+}}: throughPointers: {{[0-9]+}} hooks
// CHECK-NEXT: {{^}}gfx{{[0-9a-f]+}}: throughPointers: reaches code through pointers at 2 place(s), the first at 0x{{[0-9a-f]+}}: that code runs without hooks{{$}}
// CHECK-NEXT: 2 kernels instrumented, 0 unchanged
extern "C" KERNEL void onlyKnown(Int *To) { To[id()] = id(); }
extern "C" KERNEL void throughPointers(Int *To, Function *F) {
  To[id()] = both(F, id());
}
