; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What a hook has from memory stays: the load happens once.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK: GLOBAL_LOAD_DWORD
; CHECK: $exec = S_MOV_B64_term -1
; CHECK-NOT: GLOBAL_LOAD_DWORD
; CHECK: GLOBAL_STORE_DWORD
define void @hook() {
entry:
  %p = call i64 asm sideeffect "", "={v[0:1]}"()
  %q = inttoptr i64 %p to ptr addrspace(1)
  %v = load volatile i32, ptr addrspace(1) %q
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  store volatile i32 %v, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
