; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What the loop would have computed does not exist where no lane is active.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; CHECK: phi i32 [ %next, %loop ], [ 0, %entry ]
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
  store i32 %next, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  call void asm sideeffect "luthier::writeLane", "s,i"(i32 1, i32 24)
  ret void
}
