// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel into which a tool puts nothing is no refusal, even if hooks could not
// be put into it: here its descriptor has more user SGPRs than there are
// (compute_pgm_rsrc2, at byte 52, bits 5:1).
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: llvm-objcopy --dump-section .rodata=%t.kd %t.co
// RUN: %python -c "import sys; b = bytearray(open(sys.argv[1], 'rb').read()); b[52] |= 62; open(sys.argv[1], 'wb').write(b)" %t.kd
// RUN: llvm-objcopy --update-section .rodata=%t.kd %t.co %t.odd.co
// RUN: %exits 1 luthier instrument %t.odd.co --tool load-range -o %t.out | FileCheck %s
// CHECK: {{^}}gfx90a: kernel: unchanged: the tool puts nothing into it{{$}}
// RUN: %exits 1 luthier instrument %t.odd.co --tool instr-count -o %t.out | FileCheck %s --check-prefix=REFUSED
// REFUSED: {{^}}gfx90a: kernel: unchanged: malformed-code-object: {{.*}} user SGPRs

#include "kernel.h"

extern "C" KERNEL void kernel(Int *Out) { Out[id()] = 7; }
