; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A loop that is entered in two places has no header, and brings lanes back all
; the same.
; RUN: not luthier-pass --target gfx90a --pass check-exec-writes %s 2>&1 | FileCheck %s
; CHECK: refused: unsupported-hook: luthier::writeExec is called in a loop that lanes leave at different times
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @hook() {
entry:
  %n = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %odd = trunc i32 %group to i1
  br i1 %odd, label %first, label %second
first:
  %i = phi i32 [ 0, %entry ], [ %next, %second ]
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 %i, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  br label %second
second:
  %j = phi i32 [ 0, %entry ], [ %i, %back ]
  %next = add i32 %j, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %first, label %end
end:
  ret void
}
