// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler leaves before it links: code and data in sections of their own,
// which point to one another across sections, and whose headers refer to
// sections behind them.
// RUN: %device -mcpu=gfx90a -ffunction-sections -fdata-sections -c %s -o %t.o
// RUN: llvm-readelf --relocations --sections %t.o | FileCheck %s --check-prefix=INPUT
// INPUT: {{ }}.data.Seven{{ }}
// INPUT: Relocation section '.rela.data.Places'
// INPUT: R_AMDGPU_ABS64
// RUN: luthier exec %t.o --kernel sum --grid 64 --block 64 --arg out:256@%t.out --strict | FileCheck %s --check-prefix=RAN
// RAN: {{^}}sum(int AS1*): {{[0-9]+}} wave instructions
// RUN: %python -c "import sys; sys.stdout.buffer.write(b''.join((3*n+100+7).to_bytes(4,'little') for n in range(64)))" > %t.expected
// RUN: cmp %t.out %t.expected
// RUN: luthier info %t.o | FileCheck %s --check-prefix=INFO
// INFO: gfx90a: 1 kernel
// RUN: luthier lift %t.o --kernel sum | FileCheck %s --check-prefix=LIFT
// LIFT: S_ENDPGM

// What it lacks is named.
// RUN: %device -mcpu=gfx90a -DLACKS -c %s -o %t.lacks.o
// RUN: %exits 1 luthier exec %t.lacks.o --kernel sum --grid 64 --block 64 --arg out:256@%t.out 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: {{^}}luthier: error: {{.*}}.lacks.o: ld.lld: error: undefined {{.*}}symbol: {{.*}}elsewhere
#include "kernel.h"

#ifdef LACKS
__attribute__((visibility("hidden"))) extern Int elsewhere[];
#endif

// The pointers are data that the loader completes.
__attribute__((address_space(1))) int Numbers[] = {1, 100};
__attribute__((address_space(1))) int Seven = 7;
Int *__attribute__((address_space(1))) Places[] = {&Numbers[1], &Seven};

__attribute__((noinline)) int triple(int Value) {
  return 3 * Value + *Places[0];
}

KERNEL void sum(Int *Out) {
#ifdef LACKS
  Out[0] = elsewhere[0];
#endif
  Out[id()] = triple(id()) + *Places[1];
}
