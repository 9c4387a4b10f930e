// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hook that changes what the kernel stores is noticed at the store, in the
// first wave and lane that store something else. Everything is named.
// RUN: %device -mcpu=gfx90a %s -o %t.co
// RUN: llvm-objdump -d %t.co | grep -E "global_store_dword " > %t.all
// RUN: %exits 1 luthier verify %t.co --tool changes-data --kernel store --grid 128 --block 64 --arg buf:512 >> %t.all
// RUN: FileCheck %s < %t.all
// CHECK: global_store_dword [[OPERANDS:.*[^ ]]] {{.*}}// 00000000[[AT:[0-9A-F]+]]:
// CHECK: {{^}}           1 {{.*}}  store(int AS1*): DIFFERENT in 1 dispatch{{$}}
// CHECK-NEXT: {{^}}first difference: _Z5store{{.*}} at 0x{{[0-9a-f]+}} (entry + 0x{{[0-9a-f]+}}), instrumented 0x{{[0-9a-f]+}}: global_store_dword [[OPERANDS]]: workgroup 0,0,0, wave 0, lane 0: register v[[N:[0-9]+]]: 0x1 instead of 0x0, written at 0x{{[0-9a-f]+}} by v_{{.*}}; in the file at 0x{{[0-9a-f]+}}; hook addOne{{$}}
// CHECK-NEXT: {{^}}luthier verify: DIFFERENT: 1 kernel, 1 dispatch, 0 instructions compared where there is none{{$}}

// The address is the one that disassemblers show.
// RUN: %exits 1 luthier verify %t.co --tool changes-data --kernel store --grid 128 --block 64 --arg buf:512 | grep -o "in the file at 0x[0-9a-f]*" | tr a-f A-F | sed "s/.*X//;s/.*x//" > %t.at
// RUN: grep -f %t.at %t.all | FileCheck %s --check-prefix=PLACE
// PLACE: global_store_dword

// What cannot be instrumented or run is not compared, which is no success.
// RUN: %device -mcpu=gfx908 %s -o %t.gfx908
// RUN: %exits 1 luthier verify %t.gfx908 --tool changes-data --kernel store --grid 64 --block 64 --arg buf:256 | FileCheck %s --check-prefix=UNCHANGED
// UNCHANGED: store(int AS1*): unchanged: tool-without-target: {{.*}} is built for gfx90a, not for gfx908{{$}}
// UNCHANGED: {{^}}luthier verify: NOTHING COMPARED: {{.*}}; 1 kernel ran unchanged{{$}}
// RUN: %exits 1 luthier verify %t.co --kernel store --grid 64 --block 64 --arg u64:16 | FileCheck %s --check-prefix=FAULT
// FAULT: store(int AS1*): not compared: the original cannot run to its end: {{.*}}unmapped memory 0x10{{$}}
// FAULT: {{^}}luthier verify: NOTHING COMPARED: {{.*}}; 1 not compared{{$}}
#include "kernel.h"

KERNEL void store(Int *Out) {
  unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 + id();
  Out[I] = I * 5;
}
