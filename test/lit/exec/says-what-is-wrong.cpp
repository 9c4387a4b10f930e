// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One error, what was expected, and exit code 1.
// RUN: %device -mcpu=gfx90a %s -o %t.co

// RUN: %exits 1 luthier exec %t.co --kernel ad --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{^}}luthier: error: no kernel 'ad' in the code for gfx90a; {{.*}}; there are:
// KERNEL-NEXT: {{^}}  add(
// KERNEL-NEXT: {{^}}  crash(

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:64 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}luthier: error: add({{.*}}) takes 2 arguments, 1 is given
// COUNT-NEXT: {{^}}  8 bytes{{$}}
// COUNT-NEXT: {{^}}  4 bytes{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:64 --arg i64:5 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: {{^}}luthier: error: argument 2 of add({{.*}}) (4 bytes) has 4 bytes, --arg i64:5 has 8{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:64 --arg i32:5000000000 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: {{^}}luthier: error: --arg i32:5000000000: '5000000000' is not an i32{{$}}

// Nor does a number become infinite, unless it is meant.
// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:256 --arg f32:1e99 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: {{^}}luthier: error: --arg f32:1e99: '1e99' is not an f32{{$}}
// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:256 --arg f16:-1e5 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: {{^}}luthier: error: --arg f16:-1e5: '-1e5' is not an f16{{$}}
// RUN: luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:256 --arg f32:-inf

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg i33:5 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: {{^}}luthier: error: --arg i33:5: 'i33' is no type; see luthier exec --help{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:@%t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}luthier: error: --arg buf:@{{.*}}: cannot read {{.*}}: No such file or directory{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --block 64 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: {{^}}luthier: error: no --grid given for add({{.*}}){{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64,0 --block 64 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: {{^}}luthier: error: --grid 64,0: one to three numbers from 1 up{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 4096 --block 2048 --arg buf:64 --arg i32:5 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: {{^}}luthier: error: _Z3add{{.*}}: workgroup of 2048 work-items; at most 1024 are possible{{$}}

// RUN: %exits 1 luthier exec %t.co --target gfx9000 --kernel add --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: {{^}}luthier: error: {{.*}}: no code for gfx9000, only for gfx90a{{$}}

// RUN: %device -mcpu=gfx1036 %s -o %t.other
// RUN: %exits 1 luthier exec %t.other --kernel add --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^}}luthier: error: target 'gfx1036' is not emulated; known are {{.*}}gfx90a

// RUN: head -c 1000 %t.co > %t.short
// RUN: %exits 1 luthier exec %t.short --kernel add --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{^}}luthier: error: {{.*}} ends beyond the file's 0x3e8{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel crash --grid 64 --block 64 --arg u64:16 2>&1 | FileCheck %s --check-prefix=CRASH
// CRASH: {{^}}luthier: error: _Z5crash{{.*}} at 0x{{.*}}: global_store_dword {{.*}}: unmapped memory 0x10{{$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --strict=often --arg buf:256 --arg i32:5 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: {{^}}luthier: error: strict: 'often' is not {{.*$}}

// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:256 --arg i32:5 --variable Sum@%t.sum 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: {{^}}luthier: error: --variable Sum@{{.*}}: the code object has no variable Sum{{$}}
// RUN: %exits 1 luthier exec %t.co --kernel add --grid 64 --block 64 --arg buf:256 --arg i32:5 --variable Sum 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: {{^}}luthier: error: --variable Sum: NAME@FILE is expected{{$}}

// RUN: %exits 2 luthier exec 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: {{^}}luthier: error: no file given; see luthier exec --help{{$}}
#include "kernel.h"

KERNEL void add(Int *To, int Value) { To[id()] += Value; }
KERNEL void crash(Int *To) { *To = 1; }
