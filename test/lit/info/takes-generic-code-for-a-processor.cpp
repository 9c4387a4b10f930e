// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx11-generic -mcode-object-version=6 %s -o %t
// RUN: luthier info --target gfx1100 %t | FileCheck %s
// RUN: luthier lift --target gfx1100 --kernel add %t | FileCheck %s --check-prefix=LIFTED
// RUN: not luthier info --target gfx1030 %t 2>&1 | FileCheck %s --check-prefix=OTHER
#include "kernel.h"

KERNEL void add(Int *To, int Value) { To[id()] += Value; }

// CHECK: gfx1100: 1 kernel
// CHECK: add(int AS1*, int)
// LIFTED: add
// LIFTED: S_ENDPGM
// OTHER: luthier: error: {{.*}}: no code for gfx1030, only for gfx11-generic{{$}}
