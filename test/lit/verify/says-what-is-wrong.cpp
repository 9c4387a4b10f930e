// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who does not know what to ask for is shown; mistakes are told by what would
// work.
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: chmod a-x %t.co

// RUN: %exits 2 luthier verify %t.co 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{^}}luthier: error: no --kernel given; there are:
// KERNEL-NEXT: {{^}}  scale(float AS1*, float, int){{$}}
// KERNEL-NEXT: {{^}}  other(){{$}}
// KERNEL-NOT: {{.}}
// RUN: %exits 2 luthier verify %t.co --kernel scales 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: {{^}}luthier: error: no kernel 'scales' in the code for gfx90a; near it: scale({{.*}}); there are:

// RUN: %exits 2 luthier verify %t.co --kernel scale 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: {{^}}luthier: error: no --grid given for scale(float AS1*, float, int)
// GRID-NEXT: {{^}}  8 bytes{{$}}
// GRID-NEXT: {{^}}  4 bytes{{$}}
// GRID-NEXT: {{^}}  4 bytes{{$}}
// GRID-NEXT: {{^}}for example: --grid 1024 --block 64 --arg buf:4K --arg u32:1 --arg u32:1{{$}}
// RUN: %exits 2 luthier verify %t.co --kernel scale --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}luthier: error: scale({{.*}}) takes 3 arguments, 0 are given
// COUNT: {{^}}for example: --grid 1024 --block 64 --arg buf:4K --arg u32:1 --arg u32:1{{$}}
// What the example shows does work.
// RUN: luthier verify %t.co --kernel scale --grid 1024 --block 64 --arg buf:4K --arg u32:1 --arg u32:1

// RUN: %exits 2 luthier verify %t.co --kernel other --grid 64 --block 64 --tool nothing 2>&1 | FileCheck %s --check-prefix=TOOL
// TOOL: {{^}}luthier: error: unknown tool 'nothing'; available are: {{.*}}scramble
// RUN: %exits 2 luthier verify %t.co --kernel other --grid 64 --block 64 --strict=often 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: {{^}}luthier: error: strict: 'often' is not
// RUN: %exits 2 luthier verify %t.co --kernel other --grid 64 --block 64 --seeds many 2>&1 | FileCheck %s --check-prefix=SEEDS
// SEEDS: {{^}}luthier: error: --seeds many: a number up to {{[0-9]+}} is expected
// RUN: %exits 2 luthier verify %t.co --kernel other --grid 64 --block 64 --seeds 0 2>&1 | FileCheck %s --check-prefix=NOSEEDS
// NOSEEDS: {{^}}luthier: error: --seeds 0: nothing would be compared{{$}}
// RUN: %exits 2 luthier verify 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: {{^}}luthier: error: no file given; see luthier verify --help{{$}}
// RUN: %exits 2 luthier verify %t.co --timeout 5 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: {{^}}luthier: error: unknown option '--timeout'; see luthier verify --help{{$}}

// Programs have a form of their own.
// RUN: %exits 2 luthier verify %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}luthier: error: cannot read {{.*}}.missing: No such file or directory{{$}}
// RUN: cp %t.co %t.program
// RUN: chmod a+x %t.program
// RUN: %exits 2 luthier verify %t.program 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: {{^}}to run {{.*}}.program as a program: luthier verify -- {{.*}}.program{{$}}
#include "kernel.h"

KERNEL void scale(Float *Data, float By, int Add) {
  Data[id()] = Data[id()] * By + Add;
}
KERNEL void other() {}
