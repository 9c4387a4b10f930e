; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A hook that acts on lanes alone is not run at all where there is none.
; RUN: luthier-pass --target gfx90a --pass empty-exec-guards %s | FileCheck %s
; RUN: luthier-pass --target gfx90a --until collect %s | FileCheck --check-prefix=REPORT %s
; CHECK-LABEL: define void @hook(
; CHECK-NOT: @llvm.amdgcn.ballot
; CHECK: ret void
; REPORT: hook: {{.*}} SkipsWithoutLanes,
define void @hook() {
entry:
  %n = call i32 asm sideeffect "", "={v0}"()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
