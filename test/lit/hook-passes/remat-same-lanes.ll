; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The same loop in front of a write that brings back the lanes that there were:
; nothing is lost.
; RUN: luthier-pass --target gfx90a --until exec-writes %s | FileCheck %s
; CHECK: $exec = S_MOV_B64_term
; CHECK: GLOBAL_STORE_DWORD
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @hook() {
entry:
  %v = call i32 @llvm.amdgcn.workitem.id.x()
  %n = call i32 asm sideeffect "", "={s4}"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %nexti, %loop ]
  %x = phi i32 [ %v, %entry ], [ %nextx, %loop ]
  %squared = mul i32 %x, %x
  %nextx = add i32 %squared, 3
  %nexti = add i32 %i, 1
  %more = icmp ult i32 %nexti, %n
  br i1 %more, label %loop, label %end
end:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %all []
all:
  store volatile i32 %x, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
