// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx11-generic -mcode-object-version=6 %s -o %t.co
// RUN: clang-offload-bundler -type=o -bundle-align=4096 -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx11-generic -input=/dev/null -input=%t.co -output=%t
// RUN: luthier instrument %t --tool instr-count --target gfx1100 -o %t.out | FileCheck %s
// CHECK: gfx1100: add(int AS1*, int): {{[1-9][0-9]*}} hooks
// CHECK: 1 kernel instrumented, 0 unchanged
// RUN: luthier info %t.out | FileCheck %s --check-prefix=BOTH
// BOTH-DAG: gfx11-generic: 1 kernel
// BOTH-DAG: gfx1100: 1 kernel
// RUN: luthier exec %t.out --target gfx1100 --kernel add --grid 64 --block 64 --arg buf:256 --arg i32:3 > %t.after
// RUN: luthier exec %t --target gfx1100 --kernel add --grid 64 --block 64 --arg buf:256 --arg i32:3 > %t.before
// RUN: not diff %t.before %t.after

// What is no bundle becomes code for the processor alone.
// RUN: luthier instrument %t.co --tool instr-count --target gfx1100 -o %t.alone.co | FileCheck %s
// RUN: luthier info %t.alone.co | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: generic
// ALONE: gfx1100: 1 kernel

// Without the processor, nobody knows for which one the hooks are to be.
// RUN: %exits 1 luthier instrument %t --tool instr-count -o %t.none > %t.text
// RUN: FileCheck %s --check-prefix=UNKNOWN < %t.text
// UNKNOWN: gfx11-generic: {{.*}}unsupported-target
// RUN: %exits 1 luthier instrument %t --tool instr-count --target gfx1030 -o %t.none 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: no code for gfx1030, only for gfx11-generic
#include "kernel.h"

KERNEL void add(Int *To, int Value) { To[id()] += Value; }
