// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debuggers find the application's lines in the instrumented code, and those of
// hooks between them.
// RUN: %device -mcpu=gfx90a -g %s -o %t.co
// RUN: luthier instrument %t.co --tool instr-count -o %t.counted.co
// RUN: llvm-dwarfdump --verify %t.counted.co
// RUN: llvm-dwarfdump --debug-line %t.counted.co | FileCheck %s
// RUN: llvm-objdump -d -l --disassemble-symbols=kernel %t.counted.co | FileCheck %s --check-prefix=CODE

// What was there:
// CHECK: file_names[ 0]:
// CHECK-NEXT: name: "{{.*}}keeps-lines.cpp"
// CHECK: end_sequence
// What was added:
// CHECK: name: "{{.*}}CountingHooks.h"
// CHECK: name: "{{.*}}keeps-lines.cpp"
// CHECK: end_sequence

#include "kernel.h"

// CODE: CountingHooks.h:
// CODE: keeps-lines.cpp:[[#@LINE+5]]
// CODE-NEXT: v_lshlrev_b32
// CODE-NEXT: v_mov_b32_e32 v1, 7
// CODE-NEXT: s_waitcnt
// CODE: InstrCount.hip:
extern "C" KERNEL void kernel(Int *Out) { Out[id()] = 7; }
