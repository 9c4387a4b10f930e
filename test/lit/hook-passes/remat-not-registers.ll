; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Nor are registers of the application read again: the hook has the value that
; was there when it asked.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK-COUNT-1: INLINEASM &"", {{.*}}$vgpr0
; CHECK: $exec = S_MOV_B64_term -1
; CHECK-NOT: $vgpr0
; CHECK: V_ADD_U32
; CHECK: GLOBAL_STORE_DWORD
define void @hook() {
entry:
  %v = call i32 asm sideeffect "", "={v0}"()
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  %sum = add i32 %v, 5
  store volatile i32 %sum, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
