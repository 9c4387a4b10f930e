// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line, exit code 1, whatever the file is.
// RUN: %device -mcpu=gfx90a %s -o %t.co

// RUN: %exits 1 luthier info %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}luthier: error: cannot read {{.*}}.missing: No such file or directory{{$}}

// RUN: mkdir -p %t.directory
// RUN: %exits 1 luthier info %t.directory 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// DIRECTORY: {{^}}luthier: error: cannot read {{.*}}: Is a directory{{$}}

// RUN: %exits 1 luthier info %s 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: {{^}}luthier: error: {{.*}}: no code for AMD GPUs in this file{{$}}

// RUN: %exits 1 luthier info %python 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: {{^}}luthier: error: {{.*}}: no code for AMD GPUs in this file{{$}}

// RUN: head -c 1000 %t.co > %t.short
// RUN: %exits 1 luthier info %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{^}}luthier: error: {{.*}}: code for gfx90a: segment of 0x{{.*}} bytes at file offset 0x{{.*}} ends beyond the file's 0x3e8{{$}}

// RUN: head -c 10 %t.co > %t.shorter
// RUN: %exits 1 luthier info %t.shorter 2>&1 | FileCheck %s --check-prefix=SHORTER
// SHORTER: {{^}}luthier: error: {{.*}}: ELF header:{{.*$}}

// Object files are linked, if they can be.
// RUN: %device -mcpu=gfx90a -DLACKS -c %s -o %t.o
// RUN: %exits 1 luthier info %t.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: {{^}}luthier: error: {{.*}}: ld.lld: error: undefined hidden symbol: Elsewhere{{$}}
#include "kernel.h"

#ifdef LACKS
extern __attribute__((visibility("hidden"))) Int Elsewhere;
#else
__attribute__((visibility("hidden"))) Int Elsewhere;
#endif

KERNEL void add(Int *To, int Value) { To[id()] += Value + Elsewhere; }
