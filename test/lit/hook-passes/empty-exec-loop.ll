; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Only an active lane ends the loop: without one, the wave passes over it to the
; write behind it.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; CHECK-LABEL: entry:
; CHECK: %[[ACTIVE:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1
; CHECK: %[[PINNED:.*]] = call i64 asm sideeffect "", "=s,0"(i64 %[[ACTIVE]])
; CHECK: %[[ANY:.*]] = call i32 asm "luthier::compare 33", "=s,s,s"(i64 %[[PINNED]], i64 0)
; CHECK: %[[TEST:.*]] = icmp ne i32 %[[ANY]], 0
; CHECK: br i1 %[[TEST]], label %loop, label %[[EXIT:.*]]
; CHECK-LABEL: loop:
define void @hook() {
entry:
  %n = call i32 asm sideeffect "", "={v0}"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 1, i32 24)
  ret void
}
