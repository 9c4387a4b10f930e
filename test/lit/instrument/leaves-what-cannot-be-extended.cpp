// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files are as long as their addresses are high. An image with too much data in
// front of where hooks would go stays as it is; the others get theirs.
// RUN: %device -mcpu=gfx90a -DBYTES=320000000 %s -o %t.large
// RUN: %device -mcpu=gfx1030 -DBYTES=4 %s -o %t.small
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx1030 -input=/dev/null -input=%t.large -input=%t.small -output=%t.bundle
// RUN: luthier instrument %t.bundle --tool instr-count -o %t.out | FileCheck %s
// CHECK: {{^}}gfx90a: store: unchanged: link-failed: the file would have to be 0x{{[0-9A-F]+}} bytes long, as its addresses are that high{{$}}
// CHECK-NEXT: {{^}}gfx1030: store: {{[0-9]+}} hooks{{$}}
// CHECK-NEXT: {{^}}1 kernel instrumented, 1 unchanged{{$}}
// RUN: clang-offload-bundler -type=o -unbundle -targets=hipv4-amdgcn-amd-amdhsa--gfx90a -input=%t.out -output=%t.large2
// RUN: cmp %t.large %t.large2
// RUN: luthier exec %t.out --target gfx1030 --kernel store --grid 32 --block 32 --arg out:128@%t.numbers --strict

// So does one that is damaged.
// RUN: head -c 3000 %t.small > %t.short
// RUN: clang-offload-bundler -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx908,hipv4-amdgcn-amd-amdhsa--gfx1030 -input=/dev/null -input=%t.short -input=%t.small -output=%t.damaged
// RUN: luthier instrument %t.damaged --tool instr-count -o %t.out | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: {{^}}gfx908: left as it is: section headers: {{.*}}
// DAMAGED-NEXT: {{^}}gfx1030: store: {{[0-9]+}} hooks{{$}}
// DAMAGED-NEXT: {{^}}1 kernel instrumented, 0 unchanged{{$}}

// RUN: rm -f %t.none
// RUN: %exits 1 luthier instrument %t.large --tool instr-count -o %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}gfx90a: store: unchanged: link-failed: the file would have to be
// NONE: {{^}}luthier: error: no kernel could be instrumented{{$}}
// RUN: not test -e %t.none
// RUN: %exits 1 luthier verify %t.large --kernel store --grid 32 --block 32 --arg out:128@%t.numbers 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: unchanged

// Zeros that only make up the length take no space on the disk.
// RUN: %device -mcpu=gfx90a -DBYTES=80000000 %s -o %t.middle
// RUN: luthier instrument %t.middle --tool instr-count -o %t.middle2
// RUN: %python -c "import os, sys; s = os.stat(sys.argv[1]); sys.exit(s.st_size < 80000000 or s.st_blocks * 512 > 1000000)" %t.middle2
// RUN: luthier exec %t.middle2 --kernel store --grid 32 --block 32 --arg out:128@%t.numbers
#include "kernel.h"

using Byte = char [[clang::address_space(1)]];
[[gnu::visibility("protected")]] Byte Data[BYTES];
extern "C" KERNEL void store(Int *Out) {
  Data[id() % sizeof(Data)] = 1;
  Out[id()] = Data[id() % sizeof(Data)];
}
