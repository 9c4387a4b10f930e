; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What stands before a write of EXEC happens before it, and what stands behind it
; after: the write is a terminator.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK: %[[MASK:.*]]:sreg_64{{.*}} = COPY {{.*}}$exec
; CHECK: $exec = S_MOV_B64_term 1
; CHECK: GLOBAL_STORE_DWORD
; CHECK: $exec = S_MOV_B64_term {{.*}}%
; CHECK: SI_RETURN
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @hook() {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  ret void
}
