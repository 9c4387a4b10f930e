// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: luthier lift %t.co --kernel add | FileCheck %s
// RUN: luthier lift %t.co --kernel _Z3addPU3AS1ii | FileCheck %s
// RUN: luthier lift %t.co --kernel "add(int AS1*, int)" | FileCheck %s
// RUN: luthier lift --target gfx90a --kernel=add -- %t.co | FileCheck %s
#include "kernel.h"

// CHECK: # kernel _Z3addPU3AS1ii for gfx90a
// CHECK-NEXT: bb.0:
// CHECK-DAG: {{^[0-9a-f]+}} {{.*}} = S_LOAD_DWORD{{.*}}
// CHECK-DAG: {{^[0-9a-f]+}} {{.*}} = GLOBAL_LOAD_DWORD_SADDR {{.*}}implicit
// $exec CHECK: S_ENDPGM 0
KERNEL void add(Int *To, int Value) { To[id()] += Value; }
