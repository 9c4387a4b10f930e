; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Code that LLVM adds around such a loop brings lanes back that left it.
; RUN: not luthier-pass --target gfx90a --pass check-exec-writes %s 2>&1 | FileCheck %s
; CHECK: refused: unsupported-hook: luthier::writeExec is called in a loop that lanes leave at different times
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.workitem.id.x()
define void @hook() {
entry:
  %n = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %back ]
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) to label %one []
one:
  store volatile i32 %i, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
