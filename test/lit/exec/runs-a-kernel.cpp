// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with its arguments from the command line, on targets with both wave
// sizes; the same code for all of them.
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((3*n).to_bytes(4,'little') for n in range(100)))" > %t.in
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((3*n+7).to_bytes(4,'little') for n in range(100)))" > %t.expected

// RUN: %device -mcpu=gfx90a %s -o %t.gfx90a
// RUN: luthier exec %t.gfx90a --kernel add --grid 128 --block 64 --arg out:400@%t.out --arg buf:@%t.in --arg i32:7 --arg u32:100 --strict | FileCheck %s --check-prefix=TEXT
// RUN: cmp %t.out %t.expected
// TEXT: {{^}}add(int AS1*, int AS1*, int, unsigned int): {{[0-9]+}} wave instructions, {{[0-9]+}} lane instructions{{$}}

// RUN: %device -mcpu=gfx1030 %s -o %t.gfx1030
// RUN: luthier exec %t.gfx1030 --kernel add --grid 128 --block 64 --arg "buf:@%t.in>%t.out1" --arg buf:@%t.in --arg i32:7 --arg u32:100 --seed 5
// RUN: cmp %t.out1 %t.expected

// RUN: %device -mcpu=gfx1201 -mwavefrontsize64 %s -o %t.gfx1201
// RUN: luthier exec %t.gfx1201 --kernel add --grid 100,2 --block 32,2 --arg out:400@%t.out2 --arg buf:@%t.in --arg i32:0x7 --arg u32:100 --counts %t.counts
// RUN: cmp %t.out2 %t.expected
// RUN: FileCheck %s --check-prefix=COUNTS < %t.counts
// COUNTS: {{^}}# address waves lanes instruction{{$}}
// COUNTS: {{^}}0x{{[0-9a-f]+}} {{.*}}s_load_b
// COUNTS: global_store_b32
// COUNTS: s_endpgm

// Several targets in one file.
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx1030 -input=/dev/null -input=%t.gfx90a -input=%t.gfx1030 -output=%t.bundle
// RUN: %exits 1 luthier exec %t.bundle --kernel add --grid 64 --block 64 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: {{^}}luthier: error: {{.*}}.bundle: choose a --target from gfx90a, gfx1030{{$}}
// RUN: luthier exec %t.bundle --target gfx1030 --kernel add --grid 128 --block 64 --arg out:400@%t.out3 --arg buf:@%t.in --arg i32:7 --arg u32:100
// RUN: cmp %t.out3 %t.expected
#include "kernel.h"

KERNEL void add(Int *Out, Int *In, int Value, unsigned Count) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 + id();
  if (__builtin_amdgcn_workitem_id_y() == 1)
    I += 32;
  if (I < Count)
    Out[I] = In[I] + Value;
}
