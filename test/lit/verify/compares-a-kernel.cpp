// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of a file and its instrumented version, on targets with both wave
// sizes that no GPU runtime needs to know: every instruction of the original is
// compared, and the original's results are there.
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((3*n).to_bytes(4,'little') for n in range(100)))" > %t.in

// RUN: %device -mcpu=gfx90a %s -o %t.gfx90a
// RUN: luthier exec %t.gfx90a --kernel reverse --grid 100 --block 64 --arg out:400@%t.out --arg buf:@%t.in --arg u32:100 > %t.all
// RUN: luthier verify %t.gfx90a --kernel reverse --grid 100 --block 64 --arg out:400@%t.same --arg buf:@%t.in --arg u32:100 --strict >> %t.all
// RUN: cmp %t.out %t.same
// RUN: FileCheck %s < %t.all
// CHECK: {{^}}reverse(int AS1*, int AS1*, unsigned int): [[COUNT:[1-9][0-9]*]] wave instructions
// CHECK-NEXT: {{^}}tool: scramble{{$}}
// CHECK-NEXT: {{^}}  dispatches  instr. compared  instr. inserted  kernel{{$}}
// CHECK-NEXT: {{^}} 1 [[COUNT]] {{[1-9][0-9]*}} reverse(int AS1*, int AS1*, unsigned int): same{{$}}
// CHECK-NEXT: {{^}}luthier verify: no difference: 1 kernel, 1 dispatch, [[COUNT]] instructions compared{{$}}

// Another tool, and another target in both wave sizes.
// RUN: luthier verify %t.gfx90a --tool instr-count --kernel reverse --grid 100 --block 64 --arg out:400@%t.same --arg buf:@%t.in --arg u32:100 --strict | FileCheck %s --check-prefix=SAME
// RUN: %device -mcpu=gfx1201 %s -o %t.gfx1201
// RUN: luthier verify %t.gfx1201 --kernel reverse --grid 100 --block 64 --arg out:400@%t.same32 --arg buf:@%t.in --arg u32:100 --strict | FileCheck %s --check-prefix=SAME
// RUN: cmp %t.out %t.same32
// RUN: %device -mcpu=gfx1201 -mwavefrontsize64 %s -o %t.wave64
// RUN: luthier verify %t.wave64 --kernel reverse --grid 100 --block 64 --arg out:400@%t.same64 --arg buf:@%t.in --arg u32:100 --strict | FileCheck %s --check-prefix=SAME
// RUN: cmp %t.out %t.same64
// SAME: {{^}}luthier verify: no difference: 1 kernel, 1 dispatch,

// Each seed is a comparison with other garbage and in another order.
// RUN: luthier verify %t.gfx90a --kernel reverse --seeds 3 --seed 7 --grid 100 --block 64 --arg buf:400 --arg buf:@%t.in --arg u32:100 | FileCheck %s --check-prefix=SEEDS
// SEEDS: {{^}}           3 {{.*}}: same{{$}}
// SEEDS: {{^}}luthier verify: no difference: 1 kernel, 3 dispatches,

// Variables of the file, workgroup memory, calls, and a stack that grows.
// RUN: luthier verify %t.gfx90a --kernel remember --grid 256 --block 128 --arg buf:1K --strict | FileCheck %s --check-prefix=SAME
// RUN: luthier verify %t.gfx90a --kernel recurse --grid 64 --block 64 --arg buf:@%t.in --strict | FileCheck %s --check-prefix=SAME
// RUN: luthier verify %t.gfx90a --tool instr-count --kernel recurse --grid 64 --block 64 --arg buf:@%t.in --strict | FileCheck %s --check-prefix=SAME

// One of several targets, and of several places with code for one target.
// RUN: %device -mcpu=gfx90a -DOTHER %s -o %t.other
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx1201 -input=/dev/null -input=%t.gfx90a -input=%t.gfx1201 -output=%t.bundle
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a -input=/dev/null -input=%t.other -output=%t.bundle2
// RUN: cat %t.bundle %t.bundle2 > %t.bundles
// RUN: luthier verify %t.bundles --target gfx90a --kernel other --grid 64 --block 64 --arg buf:256 | FileCheck %s --check-prefix=SAME
// RUN: luthier exec %t.bundles --target gfx90a --kernel other --grid 64 --block 64 --arg buf:256
#include "kernel.h"

#ifdef OTHER
KERNEL void other(Int *Out) { Out[id()] = id(); }
#else
KERNEL void reverse(Int *Out, Int *In, unsigned Count) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 + id();
  if (I < Count)
    Out[I] = In[I];
}

[[gnu::visibility("protected")]] Int Total;
[[clang::loader_uninitialized]] static Local Shared[128];
KERNEL void remember(Int *Out) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 128 + id();
  Shared[id()] = Out[I] + 3;
  __builtin_amdgcn_s_barrier();
  Out[I] = Shared[127 - id()] + I;
  __scoped_atomic_fetch_add(&Total, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

[[gnu::noinline]] static int sum(Int *In, unsigned Depth) {
  return Depth ? In[Depth] + sum(In + 1, Depth - 1) * 3 : 1;
}
KERNEL void recurse(Int *Data) {
  int Sum = sum(Data, id() % 4);
  Data[id()] = Sum;
}
#endif
