// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One error, what would work, and no output file.
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: rm -f %t.out

// RUN: %exits 2 luthier instrument %t.co -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTOOL
// NOTOOL: {{^}}luthier: error: no --tool given; see luthier instrument --help{{$}}
// RUN: %exits 2 luthier instrument %t.co --tool instr-count 2>&1 | FileCheck %s --check-prefix=NOOUT
// NOOUT: {{^}}luthier: error: no -o given; see luthier instrument --help{{$}}
// RUN: %exits 2 luthier instrument --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: {{^}}luthier: error: {{.*}}file

// RUN: %exits 2 luthier instrument %t.co --tool instr-count --workgroups 0-3 -o %t.out 2>&1 | FileCheck %s --check-prefix=WORKGROUPS
// WORKGROUPS: {{^}}luthier: error: --workgroups is for luthier run: a file does not know its launches; a hook can itself look at blockIdx{{$}}

// RUN: %exits 1 luthier instrument %t.missing --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}luthier: error: cannot read {{.*}}.missing: No such file or directory{{$}}
// RUN: %exits 1 luthier instrument %s --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=NOCODE
// NOCODE: {{^}}luthier: error: {{.*}}: no code for AMD GPUs in this file{{$}}
// RUN: head -c 3000 %t.co > %t.short
// RUN: %exits 1 luthier instrument %t.short --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{^}}luthier: error: {{.*}}.short: {{.*}}

// RUN: %exits 1 luthier instrument %t.co --tool no-such-tool -o %t.out 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^}}luthier: error: unknown tool 'no-such-tool'; available are: {{.*}}instr-count
// RUN: %exits 1 luthier instrument %t.co --tool instr-count --kernel '(' -o %t.out 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: {{^}}luthier: error: --kernel (: Unmatched ( or \({{$}}
// RUN: %exits 1 luthier instrument %t.co --tool instr-count --kernel nothing -o %t.out 2>&1 | FileCheck %s --check-prefix=NOKERNEL
// NOKERNEL: {{^}}0 kernels instrumented, 0 unchanged{{$}}
// NOKERNEL: {{^}}luthier: error: there is no such kernel in {{.*}}{{$}}
// RUN: %exits 1 luthier instrument %t.co --tool instr-count --target gfx908 -o %t.out 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: {{^}}luthier: error: {{.*}}: no code for gfx908, only for gfx90a{{$}}

// What cannot be instrumented is listed as unchanged.
// RUN: %device -mcpu=gfx908 %s -o %t.gfx908
// RUN: %exits 1 luthier instrument %t.gfx908 --tool branch-count -o %t.out 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: {{^}}gfx908: store(int AS1*): unchanged: tool-without-target: {{.*}} is built for gfx90a, not for gfx908{{$}}
// REFUSED: {{^}}0 kernels instrumented, 1 unchanged{{$}}
// REFUSED: {{^}}luthier: error: no kernel could be instrumented{{$}}

// Before the work.
// RUN: %exits 1 luthier instrument %t.co --tool instr-count -o %t.folder/out 2>&1 | FileCheck %s --check-prefix=WRITE --implicit-check-not=instrumented
// WRITE: {{^}}luthier: error: cannot write {{.*}}/out: No such file or directory{{$}}
// RUN: mkdir -p %t.folder2
// RUN: %exits 1 luthier instrument %t.co --tool instr-count -o %t.folder2 2>&1 | FileCheck %s --check-prefix=FOLDER --implicit-check-not=instrumented
// FOLDER: {{^}}luthier: error: cannot write {{.*}}.folder2: Is a directory{{$}}
// Devices are written to, not replaced.
// RUN: rm -f %t.full
// RUN: ln -s /dev/full %t.full
// RUN: %exits 1 luthier instrument %t.co --tool instr-count -o %t.full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: {{^}}luthier: error: cannot write {{.*}}.full: No space left on device{{$}}
// RUN: test -L %t.full

// Nor is it a success if the tool finds nothing for its hooks.
// RUN: %exits 1 luthier instrument %t.co --tool load-range -o %t.none 2>&1 | FileCheck %s --check-prefix=NOHOOKS
// RUN: test ! -e %t.none
// NOHOOKS: {{^}}gfx90a: store(int AS1*): unchanged: the tool puts nothing into it{{$}}
// NOHOOKS: {{^}}0 kernels instrumented, 1 unchanged{{$}}
// NOHOOKS: {{^}}luthier: error: no kernel could be instrumented{{$}}

// RUN: %exits 1 luthier instrument %t.folder2 --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=ISFOLDER
// ISFOLDER: {{^}}luthier: error: cannot read {{.*}}.folder2: Is a directory{{$}}
// RUN: %exits 1 luthier instrument %t.co --tool ./no/such.so -o %t.out 2>&1 | FileCheck %s --check-prefix=NOSUCH
// NOSUCH: {{^}}luthier: error: there is no tool './no/such.so'{{$}}
// RUN: %exits 1 luthier instrument %t.co --tool %t.co -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTATOOL
// NOTATOOL: {{^}}luthier: error: {{.*}}.co is not a Luthier tool: it registers none (is LUTHIER_TOOL missing?){{$}}
// RUN: %exits 1 luthier instrument %t.co --tool instr-count --target nonsense -o %t.out 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: {{^}}luthier: error: 'nonsense' names no AMD GPU processor{{$}}
// RUN: %exits 2 luthier instrument %t.co %t.co --tool instr-count -o %t.out 2>&1 | FileCheck %s --check-prefix=TWOFILES
// TWOFILES: {{^}}luthier: error: one file expected, but '{{.*}}' follows; see luthier instrument --help{{$}}
// RUN: not test -e %t.out
#include "kernel.h"

KERNEL void store(Int *Out) {
  if (Out[id()])
    Out[id()] = 1;
}
