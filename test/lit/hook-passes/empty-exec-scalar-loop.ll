; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Scalars end the loop whatever EXEC is, and what the wave does in it happens.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; CHECK-LABEL: define void @hook(
; CHECK-NOT: @llvm.amdgcn.ballot
; CHECK: ret void
define void @hook() {
entry:
  %n = call i32 asm sideeffect "", "={s4}"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 %i, i32 24)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
