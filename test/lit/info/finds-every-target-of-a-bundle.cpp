// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx90a:xnack- %s -o %t.90a
// RUN: %device -mcpu=gfx1201 %s -o %t.1201
// RUN: clang-offload-bundler -type=o -input=/dev/null -input=%t.90a -input=%t.1201 \
// RUN:   -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-,hipv4-amdgcn-amd-amdhsa--gfx1201 \
// RUN:   -compress -output=%t.bundle
// RUN: luthier info %t.bundle | FileCheck %s --check-prefixes=FIRST,SECOND
// RUN: luthier info --target gfx1201 %t.bundle | FileCheck %s --check-prefix=SECOND --implicit-check-not=gfx90a
// RUN: luthier info --target=gfx90a %t.bundle | FileCheck %s --check-prefix=FIRST --implicit-check-not=gfx1201
// RUN: luthier info --target=gfx90a:xnack- %t.bundle | FileCheck %s --check-prefix=FIRST
// RUN: not luthier info --target=gfx90a:xnack+ %t.bundle 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not luthier info --target=gfx908 %t.bundle 2>&1 | FileCheck %s --check-prefix=NONE
//
// Of several sources, each target is named once.
// RUN: clang-offload-bundler -type=o -input=/dev/null -input=%t.1201 \
// RUN:   -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1201 -output=%t.one
// RUN: cat %t.one %t.one > %t.two
// RUN: not luthier info --target=gfx908 %t.two 2>&1 | FileCheck %s --check-prefix=TWO
#include "kernel.h"

KERNEL void add(Int *To, int Value) { To[id()] += Value; }

// FIRST: gfx90a:xnack-: 1 kernel
// FIRST: add(int AS1*, int)
// SECOND: gfx1201: 1 kernel
// SECOND: add(int AS1*, int)
// NEITHER: luthier: error: {{.*}}: no code for gfx90a:xnack+, only for gfx90a:xnack-, gfx1201
// NONE: luthier: error: {{.*}}: no code for gfx908, only for gfx90a:xnack-, gfx1201
// TWO: luthier: error: {{.*}}: no code for gfx908, only for gfx1201{{$}}
