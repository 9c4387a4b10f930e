; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An EXEC write changes EXEC and memory from selection on, although its
; constraints do not say so: LLVM would look their registers up by name.
; RUN: luthier-pass --target gfx90a --until payload-registers %s | FileCheck --check-prefix=BEFORE %s
; BEFORE: INLINEASM_BR &"luthier::writeExec", 1 /* sideeffect attdialect */
; BEFORE-NOT: implicit-def
; BEFORE: SI_RETURN
; RUN: luthier-pass --target gfx90a --until early-placeholders %s | FileCheck %s
; CHECK: INLINEASM_BR &"luthier::writeExec", {{[0-9]+}} /* sideeffect mayload maystore attdialect */
; CHECK-SAME: implicit-def $exec
; CHECK: SI_RETURN
define void @hook() {
entry:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
