; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Before the end of a wave nothing is left that EXEC would have to be put back
; for, unless the hook itself goes on.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; RUN: luthier-pass --target gfx1100 --wave 32 --until exec-writes %s | FileCheck %s
; CHECK-LABEL: name: last
; CHECK-NOT: COPY $exec
; CHECK: $exec{{(_lo)?}} = S_MOV_B{{32|64}}_term 1
; CHECK-NOT: $exec{{(_lo)?}} = S_MOV
; CHECK-LABEL: name: goes_on
; CHECK: COPY $exec
; CHECK: $exec{{(_lo)?}} = S_MOV_B{{32|64}}_term 1
; CHECK: $exec{{(_lo)?}} = S_MOV_B{{32|64}}_term %
; CHECK-LABEL: name: elsewhere
; CHECK: $exec{{(_lo)?}} = S_MOV_B{{32|64}}_term %
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @last() #0 {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  ret void
}
define void @goes_on() #0 {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  store volatile i32 8, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  ret void
}
define void @elsewhere() {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 7, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  ret void
}
attributes #0 = { "luthier-ends-wave" }
