// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of several translation units, and of one that the linker optimised in
// parts, has a note with metadata for each. All of them count: for hidden
// arguments, and once hooks are in.
// RUN: %device -mcpu=gfx90a -mcode-object-version=5 -DFIRST -c %s -o %t.first.o
// RUN: %device -mcpu=gfx90a -mcode-object-version=5 -c %s -o %t.second.o
// RUN: %device -mcpu=gfx90a %t.first.o %t.second.o -o %t.co
// RUN: llvm-readelf -n %t.co | grep -c NT_AMDGPU_METADATA | FileCheck %s --check-prefix=BEFORE
// BEFORE: {{^}}2{{$}}
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((32+n%%32).to_bytes(4,'little') for n in range(64)))" > %t.expected

// RUN: luthier info %t.co --json | FileCheck %s --check-prefix=INFO
// INFO-DAG: "kernarg_bytes": 264
// INFO-DAG: "kernarg_bytes": 272

// RUN: luthier exec %t.co --kernel fill --grid 64 --block 32 --arg out:256@%t.out
// RUN: cmp %t.out %t.expected
// RUN: luthier instrument %t.co --tool instr-count --kernel copy -o %t.counted | FileCheck %s
// CHECK: {{^}}gfx90a: copy: {{[0-9]+}} hooks
// CHECK-NEXT: 1 kernel instrumented, 0 unchanged
// RUN: llvm-readelf -n %t.counted | grep -c NT_AMDGPU_METADATA | FileCheck %s --check-prefix=AFTER
// AFTER: {{^}}1{{$}}
// RUN: rm %t.out
// RUN: luthier exec %t.counted --kernel fill --grid 64 --block 32 --arg out:256@%t.out
// RUN: cmp %t.out %t.expected
// RUN: rm %t.out
// RUN: luthier exec %t.counted --kernel copy --grid 64 --block 32 --arg out:256@%t.out --arg buf:@%t.expected
// RUN: cmp %t.out %t.expected
#include "kernel.h"

static unsigned blockSize() {
  return *((unsigned short [[clang::address_space(4)]] *)
               __builtin_amdgcn_implicitarg_ptr() +
           6);
}
#ifdef FIRST
extern "C" KERNEL void fill(Int *Out) {
  Out[__builtin_amdgcn_workgroup_id_x() * blockSize() + id()] =
      blockSize() + id();
}
#else
extern "C" KERNEL void copy(Int *Out, Int *In) {
  const unsigned I = __builtin_amdgcn_workgroup_id_x() * blockSize() + id();
  Out[I] = In[I];
}
#endif
