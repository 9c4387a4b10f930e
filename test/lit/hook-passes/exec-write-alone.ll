; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass alone, on machine IR: in front of it, the write is inline assembly
; that branches.
; RUN: luthier-pass --target gfx90a --until placeholders %s > %t.mir
; RUN: FileCheck --check-prefix=BEFORE %s < %t.mir
; RUN: luthier-pass --target gfx90a --pass exec-writes %t.mir | FileCheck %s
; BEFORE: INLINEASM_BR &"luthier::writeExec"
; BEFORE-NOT: $exec = 
; CHECK: $exec = S_MOV_B64_term 1
; CHECK-NOT: INLINEASM_BR
; CHECK: SI_RETURN
define void @hook() {
entry:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
