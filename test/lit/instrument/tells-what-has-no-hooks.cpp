// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel reaches code through pointers, and that cannot be found, the
// code stays as it is. That is said for each kernel that does so, also where only
// a function of it does; not where functions are found.
// RUN: %device -mcpu=gfx90a %s -o %t.90a
// RUN: luthier instrument %t.90a --tool instr-count -o %t.out | FileCheck %s
// RUN: %device -mcpu=gfx1100 %s -o %t.1100
// RUN: luthier instrument %t.1100 --tool instr-count -o %t.out | FileCheck %s
// RUN: %device -mcpu=gfx90a -DTAKEN %s -o %t.taken
// RUN: luthier instrument %t.taken --tool instr-count -o %t.out | FileCheck %s --check-prefix=TAKEN
#include "kernel.h"

using Function = int (*)(int);
extern "C" __attribute__((noinline)) int both(Function *F, int X) {
  return F[0](X) + F[1](X);
}

// CHECK: {{^}}gfx{{[0-9a-f]+}}: onlyKnown: {{[0-9]+}} hooks
// CHECK-NEXT: {{^}}gfx{{[0-9a-f]+}}: throughPointers: {{[0-9]+}} hooks
// CHECK-NEXT: {{^}}gfx{{[0-9a-f]+}}: throughPointers: reaches code through pointers at 2 place(s), the first at 0x{{[0-9a-f]+}}: that code runs without hooks, as no function has its address taken{{$}}
// CHECK-NEXT: 2 kernels instrumented, 0 unchanged

// TAKEN: {{^}}gfx90a: onlyKnown: {{[0-9]+}} hooks
// TAKEN-NEXT: {{^}}gfx90a: throughPointers: {{[0-9]+}} hooks
// TAKEN-NEXT: 2 kernels instrumented, 0 unchanged
#ifdef TAKEN
extern "C" int square(int X) { return X * X; }
Function Square = square;
#endif

extern "C" KERNEL void onlyKnown(Int *To) { To[id()] = id(); }
extern "C" KERNEL void throughPointers(Int *To, Function *F) {
  To[id()] = both(F, id());
}
