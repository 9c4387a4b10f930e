// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel counts by itself, in an object file that is not linked.
// RUN: %device -mcpu=gfx90a -fprofile-instr-generate -mllvm -instrprof-atomic-counter-update-all -c %s -o %t.o
// RUN: luthier exec %t.o --kernel halves --grid 128 --block 64 --arg out:512@%t.out --profile %t.profdata | FileCheck %s --check-prefix=RAN
// RAN: {{^}}halves(int AS1*): {{[0-9]+}} wave instructions
// RUN: llvm-profdata show --counts --all-functions %t.profdata | FileCheck %s
// CHECK: _Z6halvesPU3AS1i:
// CHECK: Block counts: [8128]

// Code without counters is refused before it runs.
// RUN: %device -mcpu=gfx90a -c %s -o %t.plain.o
// RUN: rm -f %t.none
// RUN: %exits 1 luthier exec %t.plain.o --kernel halves --grid 128 --block 64 --arg out:512@%t.out --profile %t.none 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: {{^}}luthier: error: --profile: {{.*}}.plain.o does not count: compile it with the flags of luthier pgo flags collect{{$}}
// RUN: not ls %t.none
#include "kernel.h"

KERNEL void halves(Int *Out) {
  const int Lane = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  for (int I = 0; I < Lane; ++I)
    Out[Lane] = Out[Lane] / 2 + I;
}
