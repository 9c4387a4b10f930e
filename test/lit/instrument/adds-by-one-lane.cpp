// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where one lane adds for the wave, LLVM need not combine lanes: also where the
// address is not known before the file is loaded.
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: luthier instrument %t.co --tool instr-count -o %t.counted.co
// RUN: llvm-objdump -d --disassemble-symbols=kernel %t.counted.co | FileCheck %s

#include "kernel.h"

// CHECK-NOT: v_mbcnt
// CHECK: s_mov_b64 exec, 1
// CHECK-NOT: saveexec
// CHECK: global_atomic_add_x2 v{{[0-9]+}}, v{{.*}}, s{{.*}}
// CHECK: global_atomic_add_x2 v{{[0-9]+}}, v{{.*}}, s{{.*}} offset:8
// CHECK-NOT: v_mbcnt
// CHECK: s_endpgm
extern "C" KERNEL void kernel(Int *Out) { Out[id()] = 7; }
