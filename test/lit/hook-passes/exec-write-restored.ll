; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The code around a payload need not save EXEC where the payload sets it back.
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck %s
; CHECK: restores: {{[0-9]+}} bytes
; CHECK-NOT: WritesEXEC
; CHECK: changes: {{[0-9]+}} bytes{{.*}} WritesEXEC
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @restores() {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  ret void
}
define void @changes() {
entry:
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
