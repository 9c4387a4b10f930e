// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that is not linked has a profile of what luthier exec has run of it.
// RUN: %device -mcpu=gfx90a -gline-tables-only -Xclang -fpseudo-probe-for-profiling -c %s -o %t.o
// RUN: luthier exec %t.o --kernel halves --grid 128 --block 64 --arg out:512@%t.out --counts %t.counts
// RUN: luthier pgo collect --exec-counts %t.counts --code %t.o --text -o %t.prof 2>&1 | FileCheck %s --check-prefix=SAYS
// SAYS: luthier pgo: {{.*}}.prof: gfx90a, 1 functions, by probes
// RUN: FileCheck %s --check-prefix=PROFILE <%t.prof
// PROFILE: _Z6halvesPU3AS1i:{{[0-9]+}}:2
// PROFILE: {{^}} 1: 2{{$}}
// RUN: luthier pgo collect --exec-counts %t.counts --code %t.o --text --add --weights waves -o %t.prof
// RUN: FileCheck %s --check-prefix=TWICE <%t.prof
// TWICE: {{^}} 1: 4{{$}}

// Of other code, it is refused.
// RUN: %device -mcpu=gfx90a -DNOTHING -c %s -o %t.nothing.o
// RUN: %exits 1 luthier pgo collect --exec-counts %t.counts --code %t.nothing.o -o %t.none 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: {{^}}luthier: error: {{.*}}.counts is of other code than {{.*}}.nothing.o: nothing is at 0x
// RUN: %exits 1 luthier pgo collect --exec-counts %t.o --code %t.o -o %t.none 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: {{^}}luthier: error: malformed-report: {{.*}} is no line of luthier exec --counts
// RUN: echo -n >%t.empty
// RUN: %exits 1 luthier pgo collect --exec-counts %t.empty --code %t.o -o %t.none 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^}}luthier: error: {{.*}}.empty has no counts{{$}}
#include "kernel.h"

KERNEL void halves(Int *Out) {
#ifndef NOTHING
  const int Lane = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  for (int I = 0; I < Lane; ++I)
    Out[Lane] = Out[Lane] / 2 + I;
#endif
}
