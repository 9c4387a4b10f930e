; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; In waves of 32 lanes, the low half of the mask.
; RUN: luthier-pass --target gfx1100 --wave 32 --until exec-writes %s | FileCheck %s
; CHECK: $exec_lo = S_MOV_B32_term 1
; CHECK-NOT: $exec = S_MOV_B64
; CHECK: SI_RETURN
define void @hook() {
entry:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
