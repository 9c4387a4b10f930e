// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %device -mcpu=gfx90a -mcode-object-version=5 %s -o %t.co
// RUN: luthier info %t.co | FileCheck %s
#include "kernel.h"

// CHECK: {{^}}gfx90a: 3 kernels, 1 function, code object version 5, {{[0-9]+}} bytes
// CHECK-NEXT: VGPRs AGPRs SGPRs waves LDS scratch group code kernel

// CHECK-NEXT: {{^ +2 +0 +[0-9]+ +8 +0 +0 +1024 +[0-9]+}} add(int AS1*, int)
KERNEL void add(Int *To, int Value) { To[id()] += Value; }

// CHECK-NEXT: {{ 8 +1024 +0 +256 +[0-9]+}} local_memory::reverse(int AS1*)
namespace local_memory {
[[clang::loader_uninitialized]] static Local Shared[256];
KERNEL [[clang::amdgpu_flat_work_group_size(1, 256)]] void reverse(Int *To) {
  Shared[id()] = To[id()];
  __builtin_amdgcn_s_barrier();
  To[id()] = Shared[255 - id()];
}
} // namespace local_memory

// The stack of a recursion has no fixed size.
[[gnu::noinline]] int depth(Int *From) {
  return *From ? depth(From + *From) * depth(From + 2) : From[1];
}
// CHECK-NEXT: {{[0-9]+\+ +1024 +[0-9]+}} measure(int AS1*)
KERNEL void measure(Int *To) { *To = depth(To); }
